//! Solves the rest of a game of reversi: the score with best play, and the moves.
//!
//! A null-window alpha-beta search to the end of the game, asked again and again with other
//! windows until the score is known (after the idea of MTD(f), Plaat 1996): first whether the
//! game is won, drawn or lost, then by how much. A score is the difference of pieces for the
//! side to move at the end, with the squares that stay empty counted for the winner.
//!
//! Before that a search of a few plies by the evaluation, deepened step by step, says where to look
//! for the score, and leaves in the table which moves to try first.
//!
//! A table keeps the bounds of all positions with more than `SHALLOW` empty squares; below,
//! only parity orders the moves, and the last four squares have routines of their own.

mod last;
mod ordering;
mod stability;

use std::sync::atomic::AtomicBool;

use ataxxd_processor::widest;
use ataxxd_rules::Position;
use ataxxd_rules::board8::squares;
use ataxxd_rules::reversi::{Move, Reversi, targets, turned};

use super::evaluation::evaluate;
use crate::bounds::{BoundsTable, NO_MOVE};
use crate::limits::Budget;
use crate::{Ending, Limits, Monitor, Silent};
use last::{few, final_score, odd_quadrants, quadrant};
use ordering::{Candidate, pick, rank};
use stability::stable;

/// Positions with so many empty squares, or fewer, are not kept in the table.
const SHALLOW: u32 = 6;

/// Positions with so many empty squares are settled at once.
const FEW: u32 = 4;

/// From so many empty squares on, all moves are looked up in the table before one is searched.
const LOOK_UP_ALL: u32 = 8;

/// The score is first estimated by a search that ends this many plies before the end of the game, and is at most
/// this deep.
const ESTIMATED_BEFORE: u32 = 10;
const ESTIMATED_DEEPEST: u32 = 8;

/// In centipieces, worse than any estimate.
const NONE: i32 = -100 * MOST - 1;

/// The best and the worst score.
const MOST: i32 = 64;

/// Solves a position exactly, with no limit but its size: `None` when the game is over.
///
/// `hash_mb` mebibytes are used for the table. The second value counts positions visited with
/// more than four empty squares.
pub fn solve(position: &Reversi, hash_mb: usize) -> (Option<Ending<Move>>, u64) {
    let stop = AtomicBool::new(false);
    let mut budget = Budget::new(&Limits::default(), &stop);
    let (mut monitor, mut table) = (Silent, BoundsTable::new(hash_mb));
    table.reserve(None);
    let ending = Solver::new(&mut budget, &mut monitor, &mut table).solve(position);
    (ending, budget.nodes())
}

/// Solves many positions, with one table for them all.
pub struct Endgames(BoundsTable);

impl Endgames {
    /// A solver whose table takes `hash_mb` mebibytes.
    pub const fn new(hash_mb: usize) -> Self {
        Self(BoundsTable::new(hash_mb))
    }

    /// The exact score for the side to move, which must have a move.
    pub fn score(&mut self, own: u64, other: u64) -> i32 {
        let stop = AtomicBool::new(false);
        let mut budget = Budget::new(&Limits::default(), &stop);
        let mut known = Progress::unknown(Move::Pass);
        self.0.reserve(None);
        Solver::new(&mut budget, &mut Silent, &mut self.0).settle(own, other, &mut known);
        known.lower
    }
}

/// One question to the solver.
pub(super) struct Solver<'a, 'b, M> {
    budget: &'a mut Budget<'b>,
    monitor: &'a mut M,
    table: &'a mut BoundsTable,
    /// The moves of all positions under way, one after the other.
    candidates: Vec<Candidate>,
}

/// What is known of the root.
struct Progress {
    lower: i32,
    upper: i32,
    best: Move,
}

impl Progress {
    const fn unknown(best: Move) -> Self {
        Self {
            lower: -MOST,
            upper: MOST,
            best,
        }
    }
}

impl<'a, 'b, M: Monitor<Move>> Solver<'a, 'b, M> {
    pub fn new(budget: &'a mut Budget<'b>, monitor: &'a mut M, table: &'a mut BoundsTable) -> Self {
        table.next_generation();
        Self {
            budget,
            monitor,
            table,
            candidates: Vec::with_capacity(512),
        }
    }

    /// What could be proved before the budget was spent; `None` when the game is over.
    pub fn solve(&mut self, position: &Reversi) -> Option<Ending<Move>> {
        let &best = position.legal_moves().first()?;
        let (own, other) = position.own_and_other();
        let mut known = Progress::unknown(best);
        self.settle(own, other, &mut known);
        let mut line = vec![known.best];
        if known.lower == known.upper {
            self.follow(
                &position.play_unchecked(known.best),
                -known.lower,
                &mut line,
            );
        }
        Some(Ending {
            best: known.best,
            lower: known.lower,
            upper: known.upper,
            line,
        })
    }

    /// Narrows the bounds until the score is known, or the budget is spent: first who wins, then by
    /// how much, beginning with what is expected.
    fn settle(&mut self, own: u64, other: u64, known: &mut Progress) {
        let mut expected = evaluate(own, other);
        let empty = (!(own | other)).count_ones();
        let odd = odd_quadrants(!(own | other));
        for depth in 2..=empty
            .saturating_sub(ESTIMATED_BEFORE)
            .min(ESTIMATED_DEEPEST)
        {
            expected = self.estimate(own, other, NONE, -NONE, depth, odd);
        }
        // All scores are even: above `alpha` is at least `alpha + 2`.
        self.narrow(own, other, 0, known);
        if known.upper <= 0 {
            self.narrow(own, other, -2, known);
        }
        let mut alpha = (expected / 100) & !1;
        while known.lower < known.upper && !self.budget.is_stopped() {
            alpha = alpha.clamp(known.lower, known.upper - 2);
            self.narrow(own, other, alpha, known);
            alpha = if known.lower > alpha {
                known.lower
            } else {
                known.upper - 2
            };
        }
    }

    /// What a search of `depth` plies expects the score to be, in centipieces; the table keeps the
    /// best moves. Meaningless once the budget is spent.
    fn estimate(
        &mut self,
        own: u64,
        other: u64,
        alpha: i32,
        beta: i32,
        depth: u32,
        odd: u64,
    ) -> i32 {
        if !self.budget.spend_node(self.monitor) {
            return 0;
        }
        let moves = targets(own, other);
        if moves == 0 {
            return if targets(other, own) == 0 {
                100 * final_score(own, other)
            } else {
                -self.estimate(other, own, -beta, -alpha, depth, odd)
            };
        }
        let mut best = NONE;
        if depth == 1 {
            for to in squares(moves) {
                let flips = turned(own, other, to);
                best = best.max(-evaluate(other & !flips, own | flips | to.bit()));
                if best >= beta {
                    break;
                }
            }
            return best;
        }
        let key = key(own, other);
        let tag = self.table.get(key).map_or(NO_MOVE, |known| known.best);
        let base = self.candidates.len();
        rank(own, other, moves, odd, tag, &mut self.candidates);
        let mut best_move = NO_MOVE;
        for index in base..self.candidates.len() {
            let next = pick(&mut self.candidates, index);
            let odd = odd ^ quadrant(next.to);
            let mut ask = |alpha: i32, beta: i32| {
                -self.estimate(next.own, next.other, -beta, -alpha, depth - 1, odd)
            };
            let low = best.max(alpha);
            let mut score = if index == base {
                ask(low, beta)
            } else {
                ask(low, low + 1)
            };
            if index > base && low < score && score < beta {
                score = ask(low, beta);
            }
            if self.budget.is_stopped() {
                break;
            }
            if score > best {
                (best, best_move) = (score, next.to.index() as u8);
                if score >= beta {
                    break;
                }
            }
        }
        self.candidates.truncate(base);
        if !self.budget.is_stopped() {
            let empty = (!(own | other)).count_ones();
            self.table.suggest(key, empty, best_move);
        }
        best
    }

    /// Asks whether the score is above `alpha`, and keeps the answer.
    fn narrow(&mut self, own: u64, other: u64, alpha: i32, known: &mut Progress) {
        let empty = (!(own | other)).count_ones();
        let (score, best) = self.root(own, other, alpha, empty);
        if self.budget.is_stopped() {
            return;
        }
        if score <= alpha {
            known.upper = known.upper.min(score);
        } else if score > known.lower {
            known.lower = score;
            known.best = best;
        }
    }

    /// As `deep`, with the move; it searches even where the table knows the score.
    fn root(&mut self, own: u64, other: u64, alpha: i32, empty: u32) -> (i32, Move) {
        let moves = targets(own, other);
        let odd = odd_quadrants(!(own | other));
        if moves == 0 {
            let score = -self.search(other, own, -alpha - 1, empty, odd);
            return (score, Move::Pass);
        }
        let key = key(own, other);
        let tag = self.table.get(key).map_or(NO_MOVE, |known| known.best);
        let base = self.candidates.len();
        rank(own, other, moves, odd, tag, &mut self.candidates);
        let (best, best_move) = self.try_candidates(base, alpha, empty, odd);
        self.candidates.truncate(base);
        if !self.budget.is_stopped() {
            self.table.put(key, empty, alpha, best, best_move);
        }
        let best_move = Move::try_from(u64::from(best_move)).unwrap_or(Move::Pass);
        (best, best_move)
    }

    /// Appends best play from a position whose score is known, as far as the budget reaches.
    fn follow(&mut self, position: &Reversi, score: i32, line: &mut Vec<Move>) {
        if position.outcome().is_some() {
            return;
        }
        let (own, other) = position.own_and_other();
        let empty = (!(own | other)).count_ones();
        let (_, best) = self.root(own, other, score - 1, empty);
        if !self.budget.is_stopped() {
            line.push(best);
            self.follow(&position.play_unchecked(best), -score, line);
        }
    }

    /// Whether the score is above `alpha`; the value bounds it on that side. Meaningless once
    /// the budget is spent. `odd` is the set of quadrants with an odd number of empty squares.
    #[inline]
    fn search(&mut self, own: u64, other: u64, alpha: i32, empty: u32, odd: u64) -> i32 {
        if empty <= FEW {
            widest(
                #[inline(always)]
                || few(own, other, alpha, odd),
            )
        } else if empty <= SHALLOW {
            widest(
                #[inline(always)]
                || self.shallow(own, other, alpha, empty, odd),
            )
        } else {
            widest(
                #[inline(always)]
                || self.deep(own, other, alpha, empty, odd),
            )
        }
    }

    #[inline(always)]
    fn shallow(&mut self, own: u64, other: u64, alpha: i32, empty: u32, odd: u64) -> i32 {
        if !self.budget.spend_node(self.monitor) {
            return 0;
        }
        if let Some(score) = stability_bound(own, other, alpha, empty) {
            return score;
        }
        let moves = targets(own, other);
        if moves == 0 {
            return self.pass(own, other, alpha, empty, odd);
        }
        let mut best = -MOST - 1;
        for to in squares(moves & odd).chain(squares(moves & !odd)) {
            let flips = turned(own, other, to);
            let (next, us) = (other & !flips, own | flips | to.bit());
            let score = -self.search(next, us, -alpha - 1, empty - 1, odd ^ quadrant(to));
            if score > best {
                best = score;
                if score > alpha {
                    break;
                }
            }
        }
        best
    }

    #[inline(always)]
    fn deep(&mut self, own: u64, other: u64, alpha: i32, empty: u32, odd: u64) -> i32 {
        if !self.budget.spend_node(self.monitor) {
            return 0;
        }
        if let Some(score) = stability_bound(own, other, alpha, empty) {
            return score;
        }
        let key = key(own, other);
        let mut tag = NO_MOVE;
        if let Some(known) = self.table.get(key) {
            if i32::from(known.lower) > alpha {
                return known.lower.into();
            }
            if i32::from(known.upper) <= alpha {
                return known.upper.into();
            }
            tag = known.best;
        }
        let moves = targets(own, other);
        if moves == 0 {
            return self.pass(own, other, alpha, empty, odd);
        }
        let base = self.candidates.len();
        rank(own, other, moves, odd, tag, &mut self.candidates);
        let (best, best_move) = match self.known_refutation(base, alpha, empty) {
            Some(found) => found,
            None => self.try_candidates(base, alpha, empty, odd),
        };
        self.candidates.truncate(base);
        if !self.budget.is_stopped() {
            self.table.put(key, empty, alpha, best, best_move);
        }
        best
    }

    /// A move whose position the table already knows to be good enough (enhanced
    /// transposition cut-off).
    #[inline(always)]
    fn known_refutation(&self, base: usize, alpha: i32, empty: u32) -> Option<(i32, u8)> {
        if empty < LOOK_UP_ALL {
            return None;
        }
        self.candidates[base..].iter().find_map(|next| {
            let known = self.table.get(key(next.own, next.other))?;
            let score = -i32::from(known.upper);
            (score > alpha).then_some((score, next.to.index() as u8))
        })
    }

    #[inline(always)]
    fn try_candidates(&mut self, base: usize, alpha: i32, empty: u32, odd: u64) -> (i32, u8) {
        let (mut best, mut best_move) = (-MOST - 1, NO_MOVE);
        for index in base..self.candidates.len() {
            let next = pick(&mut self.candidates, index);
            let odd = odd ^ quadrant(next.to);
            let score = -self.search(next.own, next.other, -alpha - 1, empty - 1, odd);
            if self.budget.is_stopped() {
                break;
            }
            if score > best {
                (best, best_move) = (score, next.to.index() as u8);
                if score > alpha {
                    break;
                }
            }
        }
        (best, best_move)
    }

    /// Continues where the side to move has no move.
    fn pass(&mut self, own: u64, other: u64, alpha: i32, empty: u32, odd: u64) -> i32 {
        if targets(other, own) == 0 {
            final_score(own, other)
        } else {
            -self.search(other, own, -alpha - 1, empty, odd)
        }
    }
}

/// What the opponent is sure to keep may settle the question.
#[inline(always)]
fn stability_bound(own: u64, other: u64, alpha: i32, empty: u32) -> Option<i32> {
    // It is worth a look only if `alpha` is high.
    const SLACK: i32 = 2;
    if alpha < SLACK * empty as i32 - 4 {
        return None;
    }
    let upper = MOST - 2 * stable(other, own).count_ones() as i32;
    (upper <= alpha).then_some(upper)
}

/// The key of a position in the table.
#[inline]
const fn key(own: u64, other: u64) -> u64 {
    let mut key = own.wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ other.wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(32);
    key = (key ^ key >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    key ^ key >> 32
}
