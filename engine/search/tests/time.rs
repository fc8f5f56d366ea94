//! What a clock does to a search, with time counted by positions.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ataxxd_rules::Position;
use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::reversi::Reversi;
use ataxxd_search::{Limits, Report, Searchable, Searcher, Silent};

fn search<P: Searchable>(position: &P, limits: &Limits) -> Report<P::Move> {
    let stop = AtomicBool::new(false);
    let report = Searcher::new(1).search(position, limits, &stop, &mut Silent);
    report.expect("the game goes on")
}

fn timed(aim: Option<u64>, most: u64) -> Limits {
    Limits {
        time: Some(Duration::from_millis(most)),
        aim: aim.map(Duration::from_millis),
        nodes_per_ms: Some(100),
        ..Limits::default()
    }
}

/// The positions of two games.
fn positions<P: Searchable>() -> Vec<P> {
    let mut all = Vec::new();
    for step in [7, 5] {
        let mut position = P::start(&P::RULESETS[0]);
        for ply in 0..20 {
            all.push(position.clone());
            let moves = position.legal_moves();
            position = position.play_unchecked(moves[step * ply % moves.len()]);
            if position.legal_moves().len() < 2 {
                break;
            }
        }
    }
    all
}

fn varies_around_its_aim<P: Searchable>() {
    let took = positions::<P>().into_iter().map(|position| {
        let report = search(&position, &timed(Some(100), 400));
        assert_eq!(report, search(&position, &timed(Some(100), 400)));
        report.elapsed.as_millis()
    });
    let took: Vec<_> = took.collect();
    assert!(took.iter().all(|&ms| ms <= 400), "{took:?}");
    assert!(took.iter().any(|&ms| ms < 100), "{took:?}");
    assert!(took.iter().any(|&ms| ms > 150), "{took:?}");
}

#[test]
fn a_move_takes_more_or_less_than_its_aim_and_never_more_than_its_time() {
    varies_around_its_aim::<Ataxx>();
    varies_around_its_aim::<Reversi>();
}

#[test]
fn a_time_without_an_aim_is_used_up() {
    let start = Reversi::start(&Reversi::RULESETS[0]);
    let took = search(&start, &timed(None, 200)).elapsed;
    assert!((180..=200).contains(&took.as_millis()), "{took:?}");
}

/// From a game against another program.
const FOURTEEN_EMPTY: &str = "XOOOOOOX-OOOOOX--OXXOXX-OOOXXXXXOOOXXOXXOOOXXXXX--OO-X----OOO--- X";

fn near_the_end(nodes_per_ms: u64) -> Report<<Reversi as Position>::Move> {
    let position = Reversi::from_text(&Reversi::RULESETS[0], FOURTEEN_EMPTY).expect("valid");
    let limits = Limits {
        nodes_per_ms: Some(nodes_per_ms),
        ..timed(None, 50)
    };
    search(&position, &limits)
}

#[test]
fn an_end_with_14_empty_squares_is_solved_in_50_ms() {
    assert!(near_the_end(2_000).margin.is_some());
}

#[test]
fn where_the_solver_takes_all_of_its_share_a_sound_move_is_played_in_time() {
    let report = near_the_end(40);
    assert!(report.margin.is_none() && report.depth >= 4, "{report:?}");
    assert!(report.elapsed.as_millis() <= 50, "{report:?}");
}
