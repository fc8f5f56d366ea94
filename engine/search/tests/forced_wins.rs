//! Every forced win within four moves is found: the win finder against the definition.
//!
//! The oracle is the definition of a forced win, written down: some move of the attacker
//! wins against every answer of the defender. It knows no bounds, no table, no order.

mod generated;

use std::sync::atomic::AtomicBool;

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, Side};
use ataxxd_search::win_finder::{HORIZON, forced_win};
use ataxxd_search::{Limits, Searcher, Silent};
use generated::{KINDS, Kind, generate};

const RULESETS: [&str; 2] = ["ataxx/cs61b-2022", "ataxx/uai"];

/// Whether `attacker` has won, or wins by force, within `plies` plies.
fn wins(position: &Ataxx, attacker: Side, plies: u32) -> bool {
    if let Some(outcome) = position.outcome() {
        return outcome.winner == Some(attacker);
    }
    let wins_after = |mv| wins(&position.play_unchecked(mv), attacker, plies - 1);
    if plies == 0 {
        false
    } else if position.turn() == attacker {
        position.legal_moves().into_iter().any(wins_after)
    } else {
        position.legal_moves().into_iter().all(wins_after)
    }
}

/// The fewest moves within which the side to move wins, each move answered.
fn fewest_moves(position: &Ataxx, most: u32) -> Option<u32> {
    (1..=most).find(|moves| wins(position, position.turn(), 2 * moves))
}

/// Plies of the oracle that fit into a test, by how wide the position is.
fn affordable_moves(position: &Ataxx, patience: u64) -> u32 {
    let width = position.count_moves().max(2);
    (1..=HORIZON)
        .rev()
        .find(|&moves| width.pow(moves) <= patience)
        .unwrap_or(1)
}

/// Compares finder and oracle on positions of every kind; the wins found, by distance.
fn compare(seed: u64, count: u64, patience: u64) -> [u64; HORIZON as usize + 1] {
    let mut random = Random::new(seed);
    let mut found = [0; HORIZON as usize + 1];
    for number in 0..count {
        for kind in KINDS {
            let ruleset = RULESETS[number as usize % 2];
            let position = generate(&mut random, kind, ruleset);
            let most = affordable_moves(&position, patience);
            let expected = fewest_moves(&position, most);
            let (win, _) = forced_win(&position, most);
            let moves = win.as_ref().map(|win| win.moves);
            assert_eq!(
                moves,
                expected,
                "{kind:?} {ruleset} {} within {most}",
                position.text()
            );
            found[moves.unwrap_or(0) as usize] += 1;
            if let Some(win) = win {
                let end = win.line.iter().fold(position.clone(), |position, &mv| {
                    position.play(mv).expect("the line is legal")
                });
                let winner = end.outcome().and_then(|outcome| outcome.winner);
                assert_eq!(
                    winner,
                    Some(position.turn()),
                    "the line wins: {}",
                    position.text()
                );
            }
        }
    }
    found
}

#[test]
fn the_win_finder_agrees_with_the_definition_of_a_forced_win() {
    let found = compare(1, 200, 20_000);
    assert!(
        found.iter().all(|&count| count > 0),
        "wins of every length: {found:?}"
    );
}

/// Most positions to the full four moves.
#[test]
#[ignore = "minutes; cargo test --release -- --ignored"]
fn the_win_finder_agrees_with_the_definition_at_length() {
    let found = compare(2, 250, 3_000_000);
    println!("not won / won within 1..4 moves: {found:?}");
}

#[test]
fn every_short_win_is_played_to_its_end_against_every_defence_at_the_lowest_level() {
    let mut random = Random::new(3);
    let mut played = 0;
    for number in 0..600 {
        for kind in [
            Kind::Sparse,
            Kind::Lopsided,
            Kind::NearlyFull,
            Kind::NearLimit,
        ] {
            let position = generate(&mut random, kind, RULESETS[number % 2]);
            let Some(win) = forced_win(&position, HORIZON).0 else {
                continue;
            };
            beats_every_defence(&mut Searcher::new(1), &position, win.moves);
            played += 1;
        }
    }
    assert!(played > 300, "only {played} wins among the positions");
}

/// Plays the searcher's move and every answer, until the game is won within `moves` moves.
fn beats_every_defence(searcher: &mut Searcher, position: &Ataxx, moves: u32) {
    let us = position.turn();
    let limits = Limits {
        depth: Some(1),
        nodes: Some(1),
        seed: 5,
        oversight: 100,
        ..Limits::default()
    };
    let stop = AtomicBool::new(false);
    let report = searcher
        .search(position, &limits, &stop, &mut Silent)
        .expect("not over");
    let next = position.play(report.best).expect("legal");
    if let Some(outcome) = next.outcome() {
        assert_eq!(
            outcome.winner,
            Some(us),
            "{} {:?}",
            position.text(),
            report.best
        );
        return;
    }
    for answer in next.legal_moves() {
        let after = next.play_unchecked(answer);
        match after.outcome() {
            Some(outcome) => assert_eq!(outcome.winner, Some(us), "{}", position.text()),
            None => {
                assert!(
                    moves > 1,
                    "no win in {moves} after {:?} in {}",
                    report.best,
                    position.text()
                );
                beats_every_defence(searcher, &after, moves - 1);
            }
        }
    }
}

#[test]
fn a_side_that_is_lost_still_plays_legal_moves() {
    let mut random = Random::new(4);
    let mut lost = 0;
    for number in 0..1_200 {
        let kind = [Kind::NearlyFull, Kind::Lopsided, Kind::Sparse][number % 3];
        let position = generate(&mut random, kind, RULESETS[number % 2]);
        let us = position.turn();
        let Some(mv) = position.legal_moves().into_iter().find(|&mv| {
            let next = position.play_unchecked(mv);
            next.outcome().is_none() && forced_win(&next, 2).0.is_some()
        }) else {
            continue;
        };
        let next = position.play_unchecked(mv);
        let Some(win) = forced_win(&next, 2).0 else {
            unreachable!()
        };
        let after = next.play_unchecked(win.line[0]);
        if after.outcome().is_some() {
            continue;
        }
        let limits = Limits {
            depth: Some(6),
            ..Limits::default()
        };
        let report = Searcher::new(1)
            .search(&after, &limits, &AtomicBool::new(false), &mut Silent)
            .expect("not over");
        assert!(after.is_legal(report.best));
        assert!(after.turn() == us);
        if after.count_moves() > 1 {
            assert!(
                report.mate_in.is_some_and(|moves| moves < 0),
                "{}",
                after.text()
            );
        }
        lost += 1;
    }
    assert!(lost > 50, "only {lost} lost positions");
}
