//! The results that a search reports.

use std::time::Duration;

/// What a search knows after an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report<M> {
    /// The best move.
    pub best: M,
    /// Centipieces for the side to move.
    pub score: i32,
    /// Moves of the winning side until the game is won (positive) or lost (negative).
    pub mate_in: Option<i32>,
    /// By how many pieces the side to move wins (negative: loses) with best play, the empty
    /// squares counted for the winner; where the end was solved exactly.
    pub margin: Option<i32>,
    /// Plies of the last finished iteration.
    pub depth: u32,
    /// Positions visited so far by the search proper.
    pub nodes: u64,
    /// Time spent so far.
    pub elapsed: Duration,
    /// The expected moves of both sides, the best move first.
    pub line: Vec<M>,
}

/// Watches a search from the thread that runs it.
pub trait Monitor<M> {
    /// Called after every finished iteration.
    fn report(&mut self, report: &Report<M>);

    /// Called every few hundred microseconds; the search ends when it says `false`.
    fn keep_going(&mut self) -> bool;
}

/// A monitor for those who only want the result.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl<M> Monitor<M> for Silent {
    fn report(&mut self, _report: &Report<M>) {}

    fn keep_going(&mut self) -> bool {
        true
    }
}
