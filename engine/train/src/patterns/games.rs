//! The training games of the evaluation.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ScopedJoinHandle;

use ataxxd_rules::board8::{Square, squares};
use ataxxd_rules::reversi::{targets, turned};
use ataxxd_search::net::Network;
use ataxxd_search::reversi::endgame::Endgames;
use ataxxd_search::reversi::evaluation::value;

use ataxxd_rules::random::Random;

/// A position, seen by the side to move, and how its game ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub own: u64,
    pub other: u64,
    /// Difference of pieces for the side to move, empty squares for the winner.
    pub score: i8,
    /// Which game it comes from.
    pub game: u32,
}

/// Positions with so many empty squares, or fewer, are solved; what came before has the score of
/// the first of them.
const SOLVED: u32 = 12;

/// Games begin where neither side is ahead by more than this, in centipieces: others are decided
/// too soon to learn much from.
const BALANCE: i32 = 1_500;

/// Plies that the players look ahead.
const DEPTH: u32 = 4;

/// Plays so many games; all positions of them from which the players chose freely. The same for the
/// same seed, on however many threads.
pub fn play(count: u64, seed: u64, network: &Network, threads: u64) -> Vec<Sample> {
    let share = count.div_ceil(threads);
    let played = AtomicU64::new(0);
    let part = |first: u64| {
        let mut endgames = Endgames::new(16);
        let mut samples = Vec::new();
        for game in first..count.min(first + share) {
            let mut random = Random::stream(seed, game);
            one(
                &mut random,
                &mut endgames,
                network,
                game as u32,
                &mut samples,
            );
            let played = played.fetch_add(1, Ordering::Relaxed) + 1;
            if played % 2_000 == 0 {
                eprintln!("{played} of {count} games");
            }
        }
        samples
    };
    std::thread::scope(|scope| {
        let parts: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || part(thread * share)))
            .collect();
        let samples = |part: ScopedJoinHandle<'_, _>| part.join().expect("games are played");
        parts.into_iter().flat_map(samples).collect()
    })
}

const START: (u64, u64) = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);

fn one(
    random: &mut Random,
    endgames: &mut Endgames,
    network: &Network,
    game: u32,
    samples: &mut Vec<Sample>,
) {
    let (mut own, mut other) = opening(random, network);
    // Positions with the side to move (1 or -1) that wait for the score of the game.
    let (mut kept, mut passed) = (Vec::new(), false);
    let mut sign = 1;
    let mut keep = |own, other, score: i32| {
        let score = score as i8;
        samples.push(Sample {
            own,
            other,
            score,
            game,
        });
    };
    let mut settle = |kept: &mut Vec<(u64, u64, i32)>, score: i32| {
        for (own, other, sign) in kept.drain(..) {
            keep(own, other, score * sign);
        }
    };
    loop {
        let moves = targets(own, other);
        let pieces = (own | other).count_ones();
        if moves == 0 {
            if passed {
                return settle(&mut kept, sign * final_score(own, other));
            }
            passed = true;
            (own, other, sign) = (other, own, -sign);
            continue;
        }
        passed = false;
        kept.push((own, other, sign));
        if pieces + SOLVED >= 64 {
            settle(&mut kept, sign * endgames.score(own, other));
        }
        let choices: Vec<_> = squares(moves).collect();
        let to = if random.below(30) == 0 {
            // What came before says nothing of how this game ends.
            kept.clear();
            *random.choose(&choices)
        } else {
            best_move(network, own, other, &choices)
        };
        (own, other) = after(own, other, to);
        sign = -sign;
    }
}

/// A board after moves at random, seen by the side to move, from which either may win.
fn opening(random: &mut Random, network: &Network) -> (u64, u64) {
    loop {
        let (mut own, mut other) = START;
        let by_chance = 10 + random.below(12) as u32;
        while (own | other).count_ones() < by_chance {
            let choices: Vec<_> = squares(targets(own, other)).collect();
            (own, other) = if !choices.is_empty() {
                after(own, other, *random.choose(&choices))
            } else if targets(other, own) != 0 {
                (other, own)
            } else {
                // The game is over already.
                return (own, other);
            };
        }
        if look(network, own, other, 1, -9_999, 9_999).abs() <= BALANCE {
            return (own, other);
        }
    }
}

/// The board after a move, seen by the side that then moves.
pub fn after(own: u64, other: u64, to: Square) -> (u64, u64) {
    let flips = turned(own, other, to);
    (other & !flips, own | flips | to.bit())
}

/// The move that looks best, `DEPTH` plies ahead.
fn best_move(network: &Network, own: u64, other: u64, choices: &[Square]) -> Square {
    let mut choices = choices.to_vec();
    choices.sort_by_cached_key(|&to| {
        let (next, us) = after(own, other, to);
        value(network, next, us)
    });
    let (mut best, mut alpha) = (choices[0], -9_999);
    for to in choices {
        let (next, us) = after(own, other, to);
        let value = -look(network, next, us, DEPTH - 1, -9_999, -alpha);
        if value > alpha {
            (best, alpha) = (to, value);
        }
    }
    best
}

fn final_score(own: u64, other: u64) -> i32 {
    let difference = own.count_ones() as i32 - other.count_ones() as i32;
    difference + difference.signum() * (!(own | other)).count_ones() as i32
}

/// The value for the side to move, looking so many plies ahead.
fn look(network: &Network, own: u64, other: u64, depth: u32, mut alpha: i32, beta: i32) -> i32 {
    if depth == 0 {
        return value(network, own, other);
    }
    let moves = targets(own, other);
    if moves == 0 {
        return if targets(other, own) == 0 {
            100 * final_score(own, other)
        } else {
            -look(network, other, own, depth, -beta, -alpha)
        };
    }
    let mut children = [(0, 0, 0); 64];
    let mut count = 0;
    for to in squares(moves) {
        let (next, us) = after(own, other, to);
        let order = if depth > 2 {
            value(network, next, us)
        } else {
            0
        };
        children[count] = (order, next, us);
        count += 1;
    }
    let children = &mut children[..count];
    // Sorting pays where there is much below to be cut off.
    if depth > 2 {
        children.sort_unstable();
    }
    let mut best = -9_999;
    for &mut (_, next, us) in children {
        best = best.max(-look(network, next, us, depth - 1, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::reversi::Reversi;

    use super::*;

    #[test]
    fn games_are_the_same_on_more_threads_and_others_for_another_seed() {
        let level = Network::zeros::<Reversi>();
        let once = play(5, 1, &level, 1);
        assert!(!once.is_empty());
        assert_eq!(once, play(5, 1, &level, 3));
        assert_ne!(once, play(5, 2, &level, 1));
    }
}
