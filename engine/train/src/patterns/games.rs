//! The games that the evaluation is fitted to.

use ataxxd_rules::board8::squares;
use ataxxd_rules::reversi::{targets, turned};
use ataxxd_search::reversi::endgame::Endgames;
use ataxxd_search::reversi::evaluation::Evaluation;

use ataxxd_rules::random::Random;

/// A position, seen by the side to move, and how its game ended.
#[derive(Clone, Copy)]
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

/// Plies that the players look ahead.
const DEPTH: u32 = 3;

/// Plays so many games; all positions of them from which the players chose freely.
pub fn play(count: u64, seed: u64, evaluation: &Evaluation) -> Vec<Sample> {
    let mut random = Random::new(seed);
    let mut endgames = Endgames::new(16);
    let mut samples = Vec::new();
    for game in 0..count {
        one(
            &mut random,
            &mut endgames,
            evaluation,
            game as u32,
            &mut samples,
        );
        if (game + 1) % 2_000 == 0 {
            eprintln!("{} games, {} positions", game + 1, samples.len());
        }
    }
    samples
}

const START: (u64, u64) = (1 << 28 | 1 << 35, 1 << 27 | 1 << 36);

fn one(
    random: &mut Random,
    endgames: &mut Endgames,
    evaluation: &Evaluation,
    game: u32,
    samples: &mut Vec<Sample>,
) {
    let (mut own, mut other) = START;
    let by_chance = 10 + random.below(12) as u32;
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
        if pieces >= by_chance {
            kept.push((own, other, sign));
        }
        if pieces + SOLVED >= 64 {
            settle(&mut kept, sign * endgames.score(own, other));
        }
        let choices: Vec<_> = squares(moves).collect();
        let to = if pieces < by_chance || random.below(30) == 0 {
            // What came before says nothing of how this game ends.
            kept.clear();
            choices[random.below(choices.len() as u64) as usize]
        } else {
            let worth = |&to: &_| {
                let flips = turned(own, other, to);
                let (next, us) = (other & !flips, own | flips | to.bit());
                -look(evaluation, next, us, DEPTH - 1, -9_999, 9_999)
            };
            *choices
                .iter()
                .max_by_key(|to| worth(to))
                .expect("there are moves")
        };
        let flips = turned(own, other, to);
        (own, other) = (other & !flips, own | flips | to.bit());
        sign = -sign;
    }
}

fn final_score(own: u64, other: u64) -> i32 {
    let difference = own.count_ones() as i32 - other.count_ones() as i32;
    difference + difference.signum() * (!(own | other)).count_ones() as i32
}

/// The value for the side to move, looking so many plies ahead.
fn look(
    evaluation: &Evaluation,
    own: u64,
    other: u64,
    depth: u32,
    mut alpha: i32,
    beta: i32,
) -> i32 {
    if depth == 0 {
        return evaluation.value(own, other);
    }
    let moves = targets(own, other);
    if moves == 0 {
        return if targets(other, own) == 0 {
            100 * final_score(own, other)
        } else {
            -look(evaluation, other, own, depth, -beta, -alpha)
        };
    }
    let mut best = -9_999;
    for to in squares(moves) {
        let flips = turned(own, other, to);
        let (next, us) = (other & !flips, own | flips | to.bit());
        best = best.max(-look(evaluation, next, us, depth - 1, -beta, -alpha));
        alpha = alpha.max(best);
        if alpha >= beta {
            break;
        }
    }
    best
}
