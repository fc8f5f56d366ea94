//! What holds of a search whatever its number of threads.

mod generated;

use std::sync::atomic::AtomicBool;

use ataxxd_rules::Position;
use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::loa::Loa;
use ataxxd_rules::random::Random;
use ataxxd_rules::reversi::Reversi;
use ataxxd_search::win_finder::{HORIZON, forced_win};
use ataxxd_search::{Limits, Monitor, Report, Searchable, Searcher, Silent};
use generated::{KINDS, generate};

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
fn a_short_win_is_played_however_few_positions_the_threads_may_visit() {
    let mut random = Random::new(7);
    let mut won = [0; HORIZON as usize + 1];
    for number in 0..600 {
        let ruleset = ["ataxx/cs61b-2022", "ataxx/uai"][number / KINDS.len() % 2];
        let position = generate(&mut random, KINDS[number % KINDS.len()], ruleset);
        let win = forced_win(&position, HORIZON).0;
        let Some(win) = win.filter(|_| position.count_moves() > 1) else {
            continue;
        };
        for nodes in [1, 2_000] {
            let limits = Limits {
                nodes: Some(nodes),
                threads: THREADS,
                ..Limits::default()
            };
            let report = search(&position, &limits);
            assert_eq!(
                report.mate_in,
                Some(win.moves as i32),
                "{}",
                position.text()
            );
        }
        won[win.moves as usize] += 1;
    }
    assert!(won[1..].iter().all(|&count| count > 0), "{won:?}");
}

/// Counts how often the answering thread asks whether to go on, which depends on the positions visited.
#[derive(Default)]
struct Questions(u32);

impl<M> Monitor<M> for Questions {
    fn report(&mut self, _report: &Report<M>) {}

    fn keep_going(&mut self) -> bool {
        self.0 += 1;
        true
    }
}

#[test]
fn the_positions_of_all_threads_count_and_end_the_search() {
    let start = Reversi::start(&Reversi::RULESETS[0]);
    let asked = |threads| {
        let limits = Limits {
            nodes: Some(500_000),
            threads,
            ..Limits::default()
        };
        let mut questions = Questions::default();
        let stop = AtomicBool::new(false);
        let report = Searcher::new(1).search(&start, &limits, &stop, &mut questions);
        assert!(report.expect("the game goes on").nodes >= 500_000);
        questions.0
    };
    // What others visit, the answering thread need not.
    let (together, alone) = (asked(THREADS), asked(1));
    assert!(10 * together < 9 * alone, "{together} of {alone}");
}

/// Ends the search when it has asked this often whether to go on.
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
    // It waits for its threads, so they have ended if it returns at all.
    let report = searcher.search(&start, &limits, &stop, &mut Patience(4));
    assert!(start.is_legal(report.expect("there are moves").best));
}
