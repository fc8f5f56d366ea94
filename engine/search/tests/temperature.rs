//! How freely a seed chooses.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use ataxxd_rules::Position;
use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::reversi::Reversi;
use ataxxd_search::{Limits, MAX_TEMPERATURE, Report, Searchable, Searcher, Silent};

fn search<P: Searchable>(position: &P, limits: &Limits) -> Report<P::Move> {
    let stop = AtomicBool::new(false);
    let report = Searcher::new(1).search(position, limits, &stop, &mut Silent);
    report.expect("the game goes on")
}

fn at(temperature: u32, seed: u64) -> Limits {
    Limits {
        depth: Some(1),
        seed,
        temperature,
        ..Limits::default()
    }
}

/// A position some moves after the start.
fn midgame<P: Searchable>() -> P {
    let mut position = P::start(&P::RULESETS[0]);
    for ply in 0..8 {
        let moves = position.legal_moves();
        position = position.play_unchecked(moves[5 * ply % moves.len()]);
    }
    position
}

/// What a move is worth one ply deep.
fn worth<P: Searchable>(position: &P, mv: P::Move) -> i32 {
    -position.play_unchecked(mv).evaluate()
}

fn errs_within_bounds<P: Searchable>() {
    let position = midgame::<P>();
    let moves = position.legal_moves();
    let best = moves.iter().map(|&mv| worth(&position, mv)).max().unwrap();
    for temperature in [20, 60, 150] {
        let allowed = 4 * temperature as i32 * P::TUNING.margin_scale;
        for seed in 1..=200 {
            let report = search(&position, &at(temperature, seed));
            assert!(best - worth(&position, report.best) <= allowed);
            assert_eq!(report.best, search(&position, &at(temperature, seed)).best);
        }
    }
}

#[test]
fn a_move_is_never_worse_than_the_best_by_more_than_four_temperatures() {
    errs_within_bounds::<Ataxx>();
    errs_within_bounds::<Reversi>();
}

#[test]
fn a_higher_temperature_chooses_among_more_moves() {
    let position = midgame::<Reversi>();
    let choices = |temperature| {
        let chosen = (1..=200).map(|seed| search(&position, &at(temperature, seed)).best);
        chosen.collect::<HashSet<_>>().len()
    };
    assert!(choices(0) <= choices(40));
    assert!(choices(40) < choices(400));
    assert_eq!(
        search(&position, &at(400, 0)).best,
        search(&position, &at(0, 0)).best
    );
}

#[test]
fn a_win_in_sight_is_taken_at_any_temperature() {
    let ruleset = &Ataxx::RULESETS[0];
    let won = Ataxx::from_text(ruleset, "7/7/7/2x1o2/7/7/7 x 0 1").expect("valid");
    for seed in 1..=100 {
        // The win finder knows no temperature: without it the search has to see the win.
        let limits = Limits {
            win_horizon: Some(0),
            ..at(MAX_TEMPERATURE, seed)
        };
        assert_eq!(search(&won, &limits).mate_in, Some(1));
    }
}

fn nothing_is_decided_by_chance<P: Searchable>() {
    let position = midgame::<P>();
    for temperature in [MAX_TEMPERATURE, u32::MAX] {
        for seed in 1..=20 {
            let limits = Limits {
                depth: Some(4),
                ..at(temperature, seed)
            };
            assert_eq!(search(&position, &limits).mate_in, None);
        }
    }
}

#[test]
fn no_temperature_makes_a_win_of_what_is_none_or_a_search_without_an_end() {
    nothing_is_decided_by_chance::<Ataxx>();
    nothing_is_decided_by_chance::<Reversi>();
}

fn overlooking(oversight: u32, seed: u64) -> Limits {
    Limits {
        depth: Some(4),
        seed,
        oversight,
        ..Limits::default()
    }
}

#[test]
fn who_overlooks_the_answers_takes_most_at_once() {
    let position = midgame::<Reversi>();
    let turned = |mv| position.play_unchecked(mv).counts()[position.turn().index()];
    let most = position.legal_moves().into_iter().map(turned).max();
    for seed in 1..=50 {
        let report = search(&position, &overlooking(100, seed));
        assert_eq!(Some(turned(report.best)), most);
        assert_eq!(report.mate_in, None);
    }
    let looked = search(&position, &overlooking(0, 1)).best;
    assert_ne!(
        Some(turned(looked)),
        most,
        "the test needs a position where taking most is bad"
    );
    assert_eq!(
        search(&position, &overlooking(100, 0)).best,
        search(&position, &overlooking(0, 0)).best
    );
}

#[test]
fn answers_are_overlooked_as_often_as_is_said() {
    let position = midgame::<Reversi>();
    let turned = |mv| position.play_unchecked(mv).counts()[position.turn().index()];
    let most = position.legal_moves().into_iter().map(turned).max();
    let overlooked = (1..=1_000)
        .filter(|&seed| Some(turned(search(&position, &overlooking(30, seed)).best)) == most);
    let count = overlooked.count();
    assert!((250..350).contains(&count), "{count} of 1000");
}
