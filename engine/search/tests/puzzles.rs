//! Forced wins within four moves, out of games of each kind: the engine at its usual level finds
//! every one.
//!
//! A puzzle is a position of a game that was played badly, in which a plain full-width search
//! proves a win: some move of the attacker wins against every answer. It knows no bounds, no
//! table, no order, and gives a position up that would take it too long.

use std::sync::atomic::AtomicBool;

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::loa::Loa;
use ataxxd_rules::random::Random;
use ataxxd_rules::reversi::Reversi;
use ataxxd_rules::{Position, Side, find_ruleset};
use ataxxd_search::{Limits, Report, Searchable, Searcher, Silent};

/// Moves of the winner within which a puzzle is won.
const MOST_MOVES: u32 = 4;

/// Positions that the default level visits for a move.
const USUAL: u64 = 100_000;

/// What the plain search may visit before a position is given up.
const PATIENCE: u64 = 2_000_000;

/// Whether `attacker` has won, or wins by force within `plies` plies; `None` when `left` positions
/// do not tell.
fn wins<P: Position>(position: &P, attacker: Side, plies: u32, left: &mut u64) -> Option<bool> {
    *left = left.checked_sub(1)?;
    if let Some(outcome) = position.outcome() {
        return Some(outcome.winner == Some(attacker));
    }
    if plies == 0 {
        return Some(false);
    }
    let attacks = position.turn() == attacker;
    for mv in position.legal_moves() {
        if wins(&position.play_unchecked(mv), attacker, plies - 1, left)? == attacks {
            return Some(attacks);
        }
    }
    Some(!attacks)
}

/// The fewest moves within which the side to move wins by force, from 1 to [`MOST_MOVES`].
fn fewest_moves<P: Position>(position: &P) -> Option<u32> {
    let mut left = PATIENCE;
    for moves in 1..=MOST_MOVES {
        if wins(position, position.turn(), 2 * moves - 1, &mut left)? {
            return Some(moves);
        }
    }
    None
}

fn search<P: Searchable>(position: &P, nodes: u64, seed: u64) -> Report<P::Move> {
    let limits = Limits {
        nodes: Some(nodes),
        seed,
        ..Limits::default()
    };
    Searcher::new(4)
        .search(position, &limits, &AtomicBool::new(false), &mut Silent)
        .expect("the game goes on")
}

/// A game in which the second side plays at random now and then, and the first nearly never.
fn game<P: Searchable>(random: &mut Random, ruleset: &str) -> Vec<P> {
    let mut position = P::start(find_ruleset(ruleset).expect("it exists"));
    let mut positions = vec![];
    while position.outcome().is_none() {
        positions.push(position.clone());
        let chance = [6, 2][position.turn().index()];
        let by_chance = positions.len() < 8 || random.below(chance) == 0;
        let mv = if by_chance {
            *random.choose(&position.legal_moves())
        } else {
            search(&position, 300, random.number() | 1).best
        };
        position = position.play_unchecked(mv);
    }
    positions
}

/// `count` puzzles of a game, each with the moves that it takes, from as many games as necessary.
fn puzzles<P: Searchable>(ruleset: &str, seed: u64, count: usize) -> Vec<(P, u32)> {
    let mut random = Random::new(seed);
    let mut found = vec![];
    while found.len() < count {
        let positions = game::<P>(&mut random, ruleset);
        let last = positions.len().saturating_sub(2 * MOST_MOVES as usize);
        for position in positions[last..].iter().rev() {
            match fewest_moves(position) {
                // A win at once is no puzzle.
                Some(moves) if moves > 1 && position.count_moves() > 1 => {
                    found.push((position.clone(), moves));
                }
                _ => {}
            }
        }
    }
    found
}

/// Solves so many puzzles of a game.
fn solve<P: Searchable>(ruleset: &str, seed: u64, count: usize) {
    let mut lengths = [0; MOST_MOVES as usize - 1];
    for (position, moves) in puzzles::<P>(ruleset, seed, count) {
        lengths[moves as usize - 2] += 1;
        let text = position.text();
        let report = search(&position, USUAL, 0);
        let told = report.mate_in.or(report.margin);
        assert!(
            told.is_some_and(|told| told > 0),
            "{ruleset} {text}: won in {moves}, and the engine says {report:?}"
        );
        let after = position.play_unchecked(report.best);
        // The win may come with the answer to the last move, and a win by pieces is played for as
        // many as there are, which may take longer.
        let plies = match report.margin {
            Some(_) => u32::MAX,
            None => 2 * MOST_MOVES - 1,
        };
        let kept = wins(&after, position.turn(), plies, &mut u64::MAX.clone());
        assert_eq!(
            kept,
            Some(true),
            "{ruleset} {text}: won in {moves}, and the engine plays {}",
            P::move_text(report.best)
        );
    }
    println!("{ruleset}: won in 2, 3 and 4 moves: {lengths:?}");
}

#[test]
fn short_wins_of_ataxx_are_found() {
    solve::<Ataxx>("ataxx/cs61b-2022", 1, 40);
}

#[test]
fn short_wins_of_reversi_are_found() {
    solve::<Reversi>("reversi/standard", 1, 40);
}

#[test]
fn short_wins_of_checkers_are_found() {
    solve::<Checkers>("checkers/acf", 1, 40);
}

#[test]
fn short_wins_of_lines_of_action_are_found() {
    solve::<Loa>("loa/cs61b", 1, 40);
}

#[test]
#[ignore = "minutes; cargo test --release -- --ignored"]
fn many_more_are_found() {
    solve::<Ataxx>("ataxx/uai", 2, 300);
    solve::<Reversi>("reversi/standard", 2, 300);
    solve::<Checkers>("checkers/acf", 2, 300);
    solve::<Loa>("loa/cs61b", 2, 300);
}
