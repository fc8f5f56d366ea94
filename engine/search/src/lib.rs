//! Chooses moves: a search over any game of `ataxxd-rules`.
//!
//! The crate knows nothing of Python, of books or of clocks other than the time
//! limit it is given.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use ataxxd_rules::{Position, ataxx};

/// What a search may spend; it ends at the first limit that it reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Limits {
    /// Plies of the last iteration.
    pub depth: Option<u32>,
    /// Positions visited.
    pub nodes: Option<u64>,
    /// Time from the call on.
    pub time: Option<Duration>,
    /// Varies the choice among moves of equal worth, always in the same way.
    pub seed: u64,
}

/// What a search knows after an iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report<M> {
    /// The best move.
    pub best: M,
    /// Centipieces for the side to move.
    pub score: i32,
    /// Moves of the winning side until the game is won (positive) or lost (negative).
    pub mate_in: Option<i32>,
    /// Plies of the iteration.
    pub depth: u32,
    /// Positions visited so far.
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

    /// Called every few milliseconds; the search ends when it says `false`.
    fn keep_going(&mut self) -> bool;
}

/// What the search needs to know of a game beyond its rules.
pub trait Evaluate: Position {
    /// How good the position is for the side to move, in centipieces; never near a win.
    fn evaluate(&self) -> i32 {
        let counts = self.counts().map(|count| count as i32);
        let side = self.turn();
        100 * (counts[side.index()] - counts[side.opponent().index()])
    }
}

impl Evaluate for ataxx::Ataxx {}

/// A searcher that keeps what it has learnt from one search to the next.
#[derive(Debug)]
pub struct Searcher {
    _hash_mb: usize,
}

impl Searcher {
    /// A searcher whose table takes about `hash_mb` mebibytes.
    pub fn new(hash_mb: usize) -> Self {
        Self { _hash_mb: hash_mb }
    }

    /// Forgets everything learnt.
    pub fn clear(&mut self) {}

    /// Searches until a limit, `stop` or the monitor ends it; `None` when the game is over.
    ///
    /// At least one legal move is always found, however tight the limits.
    pub fn search<P: Evaluate>(
        &mut self,
        position: &P,
        limits: &Limits,
        stop: &AtomicBool,
        monitor: &mut impl Monitor<P::Move>,
    ) -> Option<Report<P::Move>> {
        let first = *position.legal_moves().first()?;
        let mut run = Run {
            limits,
            stop,
            started: Instant::now(),
            nodes: 0,
            stopped: false,
        };
        let mut best = Report {
            best: first,
            score: position.evaluate(),
            mate_in: None,
            depth: 0,
            nodes: 0,
            elapsed: Duration::ZERO,
            line: vec![first],
        };
        for depth in 1..=limits.depth.unwrap_or(MAX_PLY).min(MAX_PLY) {
            let (mut alpha, mut line) = (-WIN, Vec::new());
            for mv in position.legal_moves() {
                let child = position.play_unchecked(mv);
                let score = -run.alpha_beta(&child, depth - 1, 1, -WIN, -alpha, monitor);
                if run.stopped {
                    break;
                }
                if line.is_empty() || score > alpha {
                    alpha = score;
                    line = vec![mv];
                }
            }
            if run.stopped {
                break;
            }
            best = Report {
                best: line[0],
                score: alpha,
                mate_in: mate_in(alpha),
                depth,
                nodes: run.nodes,
                elapsed: run.started.elapsed(),
                line,
            };
            monitor.report(&best);
            if best.mate_in.is_some() {
                break;
            }
        }
        best.nodes = run.nodes;
        best.elapsed = run.started.elapsed();
        Some(best)
    }
}

const WIN: i32 = 1_000_000;
const MAX_PLY: u32 = 100;

/// Plies to the end turned into moves of the winner, signed.
fn mate_in(score: i32) -> Option<i32> {
    let plies = WIN - score.abs();
    (plies <= MAX_PLY as i32).then(|| score.signum() * ((plies + 1) / 2))
}

struct Run<'a> {
    limits: &'a Limits,
    stop: &'a AtomicBool,
    started: Instant,
    nodes: u64,
    stopped: bool,
}

impl Run<'_> {
    fn alpha_beta<P: Evaluate>(
        &mut self,
        position: &P,
        depth: u32,
        ply: u32,
        mut alpha: i32,
        beta: i32,
        monitor: &mut impl Monitor<P::Move>,
    ) -> i32 {
        self.nodes += 1;
        if self.nodes % 4096 == 0 || self.limits.nodes.is_some_and(|n| self.nodes >= n) {
            self.stopped |= self.stop.load(Ordering::Relaxed)
                || self.limits.nodes.is_some_and(|n| self.nodes >= n)
                || self
                    .limits
                    .time
                    .is_some_and(|t| self.started.elapsed() >= t)
                || !monitor.keep_going();
        }
        if self.stopped {
            return 0;
        }
        if let Some(outcome) = position.outcome() {
            return match outcome.winner {
                None => 0,
                Some(side) => win_for(side == position.turn(), ply),
            };
        }
        if depth == 0 {
            return position.evaluate();
        }
        let mut best = -WIN;
        for mv in position.legal_moves() {
            let child = position.play_unchecked(mv);
            let score = -self.alpha_beta(&child, depth - 1, ply + 1, -beta, -alpha, monitor);
            best = best.max(score);
            alpha = alpha.max(score);
            if alpha >= beta || self.stopped {
                break;
            }
        }
        best
    }
}

fn win_for(mover: bool, ply: u32) -> i32 {
    let score = WIN - ply as i32;
    if mover { score } else { -score }
}
