//! Iterative deepening: from a position and limits to a move.

use std::sync::atomic::AtomicBool;
use std::thread;

use crate::bounds::BoundsTable;
use crate::helpers::{Dismissal, Helpers};
use crate::limits::{Budget, Limits};
use crate::noise::Noise;
use crate::pruning::Guesses;
use crate::pvs::Pvs;
use crate::root::Root;
use crate::score::{self, MAX_PLY, WIN};
use crate::tt::Table;
use crate::tuning::Changes;
use crate::win_finder::{ProofTable, Win, WinFinder};
use crate::{Ending, Known, Monitor, Report, Searchable};

/// The share of what is left, in percent, that may go into solving the rest of the game.
const ENDING_SHARE: u32 = 70;

/// Plies that are searched before the rest of the game is solved against the clock.
const SOUND_DEPTH: u32 = 4;

/// Positions that a slow machine solves in a second.
const ENDING_SPEED: u64 = 2_000_000;

/// A searcher that keeps what it has learnt from one search to the next.
#[derive(Debug)]
pub struct Searcher {
    table: Table,
    proved: Proved,
    changes: Changes,
}

/// What was proved, which stays true for ever.
#[derive(Debug)]
struct Proved {
    wins: ProofTable,
    endings: BoundsTable,
}

impl Searcher {
    /// A searcher whose table takes about `hash_mb` mebibytes, and half a mebibyte for proofs.
    ///
    /// Endings, in games where they are solved exactly, take up to as much again, when they come: what the time can fill.
    pub fn new(hash_mb: usize) -> Self {
        Self {
            table: Table::new(hash_mb),
            proved: Proved {
                wins: ProofTable::new(),
                endings: BoundsTable::new(hash_mb),
            },
            changes: Changes::default(),
        }
    }

    /// Makes it search with other parameters than the game's own, to tune them.
    pub fn change(&mut self, changes: Changes) {
        self.changes = changes;
    }

    /// Forgets everything learnt.
    pub fn clear(&mut self) {
        self.table.clear();
        self.proved.wins.clear();
        self.proved.endings.clear();
    }

    /// Searches until a limit, `stop` or the monitor ends it; `None` when the game is over.
    ///
    /// A legal move is always found, however tight the limits; an only move at once. A
    /// forced win within [`Tuning::win_horizon`](crate::Tuning::win_horizon) moves is played whatever limits in depth
    /// and nodes say.
    pub fn search<P: Searchable>(
        &mut self,
        position: &P,
        limits: &Limits,
        stop: &AtomicBool,
        monitor: &mut impl Monitor<P::Move>,
    ) -> Option<Report<P::Move>> {
        let budget = Budget::new(limits, stop);
        let moves = position.legal_moves();
        let &first = moves.first()?;
        if moves.len() == 1 {
            return Some(only_move(position, first, &budget));
        }
        P::begin_loading_tables();
        let noise = Noise::new(limits);
        if let Some(known) = position.known_line().filter(|known| {
            is_short_win(known, horizon::<P>(limits)) || !noise.overlooks(position.key())
        }) {
            let report = looked_up(known, &budget);
            monitor.report(&report);
            return Some(report);
        }
        let tuning = const { P::TUNING.checked() };
        self.table.next_generation(tuning.kept_win);
        let guesses = &Guesses::new(self.changes.applied_to(tuning));
        let (table, proved) = (&self.table, &mut self.proved);
        if limits.threads < 2 {
            let pvs = Pvs::new(budget, monitor, table, guesses);
            return Some(proved.answer(pvs, position, moves, limits));
        }
        let helpers = Helpers::default();
        Some(thread::scope(|scope| {
            let _dismissal = Dismissal(&helpers);
            let budget = budget.shared(helpers.visited());
            helpers.start(scope, limits.threads - 1, position, limits, table, guesses);
            let pvs = Pvs::new(budget, monitor, table, guesses);
            proved.answer(pvs, position, moves, limits)
        }))
    }
}

impl Proved {
    /// The search of the thread that was asked, of a position with several moves.
    fn answer<P: Searchable>(
        &mut self,
        mut pvs: Pvs<'_, P, impl Monitor<P::Move>>,
        position: &P,
        moves: Vec<P::Move>,
        limits: &Limits,
    ) -> Report<P::Move> {
        // A first answer comes before anything that may take time.
        let noise = Noise::new(limits);
        let mut root = Root::new(position, moves, noise);
        root.iterate(&mut pvs, 1);
        let first_look = root.report(&pvs.budget);
        pvs.monitor.report(&first_look);

        let horizon = horizon::<P>(limits);
        pvs.budget
            .begin_share_of_time(pvs.guesses.tuning.win_share as u32, pvs.monitor);
        let found = WinFinder::new(&mut pvs.budget, pvs.monitor, &mut self.wins, position)
            .bounded()
            .find(position, horizon);
        if let Some(win) = found {
            let report = won(win, first_look, &pvs.budget);
            pvs.monitor.report(&report);
            return report;
        }
        pvs.budget.end_share(pvs.monitor);
        if !root.is_settled() && noise.overlooks(position.key()) {
            let report = root.first_sight(&pvs.budget);
            pvs.monitor.report(&report);
            return report;
        }

        let affordable = |share| pvs.budget.affordable_in_time(share, ENDING_SPEED);
        let (in_time, in_half) = (affordable(ENDING_SHARE), affordable(ENDING_SHARE / 2));
        let cost = position.ending_cost().filter(|cost| {
            limits.depth.is_none_or(|depth| cost.plies <= depth)
                && pvs.budget.affords_nodes(cost.nodes, ENDING_SHARE / 2)
                && in_half.is_none_or(|most| cost.nodes <= most)
        });
        let last = limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1);
        let mut depth = 2;
        if let Some(cost) = cost {
            // If the machine pauses when the solver's time is up, nothing may be left for the search.
            while in_time.is_some()
                && depth <= last.min(SOUND_DEPTH)
                && !root.is_settled()
                && root.iterate(&mut pvs, depth)
            {
                depth += 1;
            }
            // Allocating memory takes time: take no more than can be filled.
            self.endings.reserve(in_time);
            pvs.budget.resume();
            pvs.budget.begin_share(ENDING_SHARE, pvs.monitor);
            let ending = position.solve_ending(&mut pvs.budget, pvs.monitor, &mut self.endings);
            if let Some(report) = ending.and_then(|ending| solved(ending, cost.plies, &pvs.budget))
            {
                pvs.monitor.report(&report);
                return report;
            }
            pvs.budget.end_share(pvs.monitor);
        }

        for depth in depth..=last {
            if root.is_settled() || !root.iterate(&mut pvs, depth) {
                break;
            }
            pvs.monitor.report(&root.report(&pvs.budget));
            if pvs.budget.has_met_its_aim(root.instability()) {
                break;
            }
        }
        root.report(&pvs.budget)
    }
}

/// Loads what searches of a game need, for callers whose clocks do not run yet.
pub fn prepare<P: Searchable>() {
    P::load_weights();
    P::load_tables();
}

/// Moves within which forced wins are proved.
fn horizon<P: Searchable>(limits: &Limits) -> u32 {
    let most = P::TUNING.win_horizon;
    limits.win_horizon.map_or(most, |horizon| horizon.min(most))
}

/// Whether an end that is known is a win within so many moves: the opponent's answer to the last may be what ends it.
fn is_short_win<M>(known: &Known<M>, moves: u32) -> bool {
    known.result > 0 && known.plies <= 2 * moves
}

/// The answer where there is no choice.
fn only_move<P: Searchable>(position: &P, mv: P::Move, budget: &Budget<'_>) -> Report<P::Move> {
    let child = position.play_unchecked(mv);
    let score = match child.result() {
        Some(result) => -score::of_result(result, 1),
        None => -child.evaluate(),
    };
    Report {
        best: mv,
        score,
        mate_in: score::mate_in(score),
        margin: None,
        depth: 1,
        nodes: 1,
        elapsed: budget.elapsed(),
        line: vec![mv],
    }
}

/// The answer where the end is known without a search.
fn looked_up<M: Copy>(known: Known<M>, budget: &Budget<'_>) -> Report<M> {
    let score = score::of_result(known.result, known.plies as usize);
    Report {
        best: known.line[0],
        score,
        mate_in: score::mate_in(score),
        margin: None,
        depth: known.plies.max(1),
        nodes: 1,
        elapsed: budget.elapsed(),
        line: known.line,
    }
}

/// The answer where a short win was proved.
fn won<M>(win: Win<M>, first_look: Report<M>, budget: &Budget<'_>) -> Report<M>
where
    M: Copy,
{
    let score = WIN - 2 * win.moves as i32 + 1;
    Report {
        best: win.line[0],
        score,
        mate_in: score::mate_in(score),
        elapsed: budget.elapsed(),
        line: win.line,
        ..first_look
    }
}

/// The answer where the rest of the game was solved as far as it matters: by how much, or that it
/// is won. A loss of unknown size says nothing about which move to play.
fn solved<M>(ending: Ending<M>, plies: u32, budget: &Budget<'_>) -> Option<Report<M>> {
    let margin = ending.margin();
    let result = ending.result()?;
    if margin.is_none() && result < 0 {
        return None;
    }
    let until_the_end = if margin.is_some() {
        ending.line.len()
    } else {
        plies as usize
    };
    let score = score::of_result(result, until_the_end);
    Some(Report {
        best: ending.best,
        score,
        mate_in: score::mate_in(score),
        margin,
        depth: plies,
        nodes: budget.nodes(),
        elapsed: budget.elapsed(),
        line: ending.line,
    })
}
