//! What holds of a search whatever its number of threads.

use std::sync::atomic::AtomicBool;

use ataxxd_rules::Position;
use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::loa::Loa;
use ataxxd_rules::reversi::Reversi;
use ataxxd_search::{Limits, Monitor, Report, Searchable, Searcher, Silent};

const THREADS: usize = 4;

fn search<P: Searchable>(position: &P, limits: &Limits) -> Report<P::Move> {
    let stop = AtomicBool::new(false);
    let report = Searcher::new(1).search(position, limits, &stop, &mut Silent);
    report.expect("the game goes on")
}

fn plays_a_sound_line<P: Searchable>() {
    let mut position = P::start(&P::RULESETS[0]);
    for _ in 0..6 {
        let limits = Limits {
            depth: Some(6),
            threads: THREADS,
            ..Limits::default()
        };
        let report = search(&position, &limits);
        let mut on = position.clone();
        for &mv in &report.line {
            on = on.play(mv).expect("the line is legal");
        }
        assert_eq!(report.line[0], report.best);
        position = position.play_unchecked(report.best);
    }
}

#[test]
fn threads_together_find_legal_lines_in_every_game() {
    plays_a_sound_line::<Ataxx>();
    plays_a_sound_line::<Reversi>();
    plays_a_sound_line::<Checkers>();
    plays_a_sound_line::<Loa>();
}

#[test]
fn the_positions_of_all_threads_count_and_end_the_search() {
    let limits = Limits {
        nodes: Some(200_000),
        threads: THREADS,
        ..Limits::default()
    };
    let start = Reversi::start(&Reversi::RULESETS[0]);
    let nodes = search(&start, &limits).nodes;
    assert!(nodes >= 200_000, "{nodes}");
}

/// Ends the search when it has asked so often whether to go on.
struct Patience(u32);

impl<M> Monitor<M> for Patience {
    fn report(&mut self, _report: &Report<M>) {}

    fn keep_going(&mut self) -> bool {
        self.0 -= 1;
        self.0 > 0
    }
}

#[test]
fn a_search_that_is_stopped_leaves_no_thread_behind() {
    let limits = Limits {
        threads: THREADS,
        ..Limits::default()
    };
    let stop = AtomicBool::new(false);
    let start = Loa::start(&Loa::RULESETS[0]);
    let mut searcher = Searcher::new(1);
    // That it returns at all says so: it waits for its threads.
    let report = searcher.search(&start, &limits, &stop, &mut Patience(4));
    assert!(start.is_legal(report.expect("there are moves").best));
}
