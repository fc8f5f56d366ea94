//! Principal variation search of a position to a given depth.

use ataxxd_processor::{widest, widest_of_all};

use crate::evaluate::Evaluator;
use crate::limits::Budget;
use crate::ordering::{Experience, Scored, pick};
use crate::pruning::Guesses;
use crate::score::{INFINITE, MAX_PLY, WIN, is_decided, of_result};
use crate::tt::{Bound, Hit, Table};
use crate::{Monitor, Searchable};

/// The window in which a score is wanted: `alpha < score < beta`.
#[derive(Debug, Clone, Copy)]
pub struct Window {
    pub alpha: i32,
    pub beta: i32,
}

impl Window {
    pub const fn new(alpha: i32, beta: i32) -> Self {
        Self { alpha, beta }
    }

    /// Only asks whether the score is above `alpha`.
    pub const fn null(alpha: i32) -> Self {
        Self::new(alpha, alpha + 1)
    }

    /// The same window as the opponent sees it.
    pub const fn flipped(self) -> Self {
        Self::new(-self.beta, -self.alpha)
    }

    const fn is_null(self) -> bool {
        self.beta - self.alpha == 1
    }
}

/// One search under way.
pub struct Pvs<'a, P: Searchable, M> {
    pub budget: Budget<'a>,
    pub monitor: &'a mut M,
    pub table: &'a Table,
    pub experience: Experience<P::Move>,
    pub guesses: &'a Guesses,
    /// The moves of all positions on the way to the present one, one after the other.
    moves: Vec<Scored<P::Move>>,
    evaluator: P::Evaluator,
    /// Static evaluations on the way.
    evals: Vec<i32>,
    /// The best line from each ply on.
    lines: Vec<Vec<P::Move>>,
    /// Depth of the iteration.
    root_depth: i32,
}

impl<'a, P: Searchable, M: Monitor<P::Move>> Pvs<'a, P, M> {
    pub fn new(
        budget: Budget<'a>,
        monitor: &'a mut M,
        table: &'a Table,
        guesses: &'a Guesses,
    ) -> Self {
        Self {
            budget,
            monitor,
            table,
            experience: Experience::new(MAX_PLY, &guesses.tuning),
            guesses,
            moves: Vec::with_capacity(4096),
            evaluator: P::Evaluator::default(),
            evals: vec![0; MAX_PLY + 2],
            lines: vec![Vec::new(); MAX_PLY + 2],
            root_depth: 0,
        }
    }

    /// The best line found from a ply on.
    pub fn line(&self, ply: usize) -> &[P::Move] {
        &self.lines[ply]
    }

    /// Starts an iteration to a depth.
    pub fn enter_root(&mut self, root: &P, depth: i32) {
        self.evals[0] = self.evaluator.evaluate(root, 0);
        self.root_depth = depth;
    }

    /// Plies by which the root searches a late move less deeply at first.
    pub fn root_reduction(&self, depth: i32, index: usize) -> i32 {
        if depth < 3 || index < 3 {
            return 0;
        }
        (self.guesses.reduction(depth, index) - 1).clamp(0, depth - 2)
    }

    /// The score of a position for its side to move; meaningless once the budget is spent.
    pub fn search(&mut self, position: &P, depth: i32, ply: usize, window: Window) -> i32 {
        compiled::<P, _>(
            #[inline(always)]
            || self.visit(position, depth, ply, window),
        )
    }

    #[inline(always)]
    fn visit(&mut self, position: &P, depth: i32, ply: usize, window: Window) -> i32 {
        self.lines[ply].clear();
        if !self.budget.spend_node(self.monitor) {
            return 0;
        }
        // Leaves are not looked up. Memory is read while the position is judged.
        let key = (depth > 0 && ply < MAX_PLY).then(|| position.table_key());
        if let Some(key) = key {
            self.table.prefetch(key);
        }
        if let Some(result) = position.result() {
            return of_result(result, ply);
        }
        if let Some((result, plies)) = position.known_end() {
            return of_result(result, ply + plies as usize);
        }
        if position.repeats() {
            return 0;
        }
        let Some(key) = key else {
            return self.evaluator.evaluate_leaf(position, ply);
        };
        // A win nearer the root than any win from here makes this position irrelevant.
        let best_possible = WIN - ply as i32 - 1;
        if window.alpha >= best_possible {
            return best_possible;
        }
        let eval = self.evaluator.evaluate(position, ply);
        let hit = self.table.probe(key, ply);
        if let Some(score) = hit.and_then(|hit| cut_off(&hit, depth, window)) {
            return score;
        }
        self.evals[ply] = eval;
        if let Some(score) = self.prune(position, depth, ply, window, eval) {
            return score;
        }
        let tag = hit.map_or(0, |hit| hit.tag);
        let reduced = tag == 0 && depth >= self.guesses.tuning.internal_reduction_depth;
        let depth = depth - i32::from(reduced);

        let base = self.moves.len();
        self.experience.rank(position, tag, ply, &mut self.moves);
        let extension = hit.map_or(0, |hit| {
            self.singular_extension(position, &hit, depth, ply, base)
        });
        let (best, best_move) = self.try_moves(position, depth, ply, window, base, extension);
        self.moves.truncate(base);
        if self.budget.is_stopped() {
            return 0;
        }
        let bound = if best >= window.beta {
            Bound::Lower
        } else if best > window.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        let tag = best_move.map_or(0, P::move_tag);
        self.table.store(
            key,
            ply,
            Hit {
                tag,
                score: best,
                depth,
                bound,
            },
        );
        best
    }

    /// Whether the evaluation has risen since the side's last move.
    fn is_improving(&self, ply: usize) -> bool {
        ply >= 2 && self.evals[ply] > self.evals[ply - 2]
    }

    /// A score without trying moves, where the evaluation is far above the window.
    fn prune(
        &mut self,
        position: &P,
        depth: i32,
        ply: usize,
        window: Window,
        eval: i32,
    ) -> Option<i32> {
        let beta = window.beta;
        let guesses = self.guesses;
        if !window.is_null() || beta.abs() > guesses.as_good_as_decided || eval < beta {
            return None;
        }
        let margin = guesses.reverse_futility_margin(depth);
        if depth <= guesses.tuning.reverse_futility_depth && eval - margin >= beta {
            return Some(beta + (eval - beta) / 3);
        }
        if depth >= guesses.tuning.null_move_depth && self.evals[ply - 1] != NULL_MOVED {
            let passed = position.after_null_move()?;
            self.evals[ply] = NULL_MOVED;
            let depth = guesses.null_move_depth(depth, eval - beta);
            let score = -self.search(&passed, depth, ply + 1, Window::null(beta - 1).flipped());
            self.evals[ply] = eval;
            if score >= beta && !self.budget.is_stopped() {
                // A win found by moving twice in a row proves nothing.
                return Some(if is_decided(score) { beta } else { score });
            }
        }
        None
    }

    /// A ply more for the table's move where every other of the moves from `base` on is much worse
    /// (Anantharaman, Campbell and Hsu 1990).
    fn singular_extension(
        &mut self,
        position: &P,
        hit: &Hit,
        depth: i32,
        ply: usize,
        base: usize,
    ) -> i32 {
        let known = hit.bound != Bound::Upper && hit.depth >= depth - 3 && hit.tag != 0;
        // Without this, extensions that lead to the next one would have no end.
        let near = (ply as i32) < 2 * self.root_depth;
        if depth < self.guesses.tuning.singular_depth || !known || !near || is_decided(hit.score) {
            return 0;
        }
        pick(&mut self.moves, base);
        let bound = hit.score - self.guesses.singular_margin(depth);
        let window = Window::null(bound - 1);
        let (best, _) = self.try_moves(position, (depth - 1) / 2, ply, window, base + 1, 0);
        self.lines[ply].clear();
        i32::from(best < bound)
    }

    /// Tries the moves ranked from `base` on, the first one some plies deeper: the best score, and
    /// its move if it reached alpha.
    fn try_moves(
        &mut self,
        position: &P,
        depth: i32,
        ply: usize,
        window: Window,
        base: usize,
        extension: i32,
    ) -> (i32, Option<P::Move>) {
        compiled::<P, _>(
            #[inline(always)]
            || self.try_each(position, depth, ply, window, base, extension),
        )
    }

    #[inline(always)]
    fn try_each(
        &mut self,
        position: &P,
        depth: i32,
        ply: usize,
        window: Window,
        base: usize,
        extension: i32,
    ) -> (i32, Option<P::Move>) {
        let side = position.turn();
        let (mut alpha, beta) = (window.alpha, window.beta);
        let (mut best, mut best_move) = (-INFINITE, None);
        let eval = self.evals[ply];
        let improving = self.is_improving(ply);
        let guesses = self.guesses;
        let late = guesses.late_move_count(depth, improving);
        let quiet = guesses.tuning.quiet_moves as usize;
        let has_quiet = const { P::TUNING.quiet_moves != i32::MAX };
        for index in base..self.moves.len() {
            let Scored { mv, gain, .. } = pick(&mut self.moves, index);
            let count = index - base;
            if count > 0 && !is_decided(best) {
                if has_quiet && gain == 0 && count >= quiet {
                    continue;
                }
                if depth <= guesses.tuning.late_move_depth && count >= late && window.is_null() {
                    break;
                }
                if depth <= guesses.tuning.futility_depth
                    && eval + guesses.futility_margin(depth, gain) <= alpha
                {
                    continue;
                }
            }
            let child = position.play_unchecked(mv);
            let next = depth - 1;
            let mut score;
            if count == 0 {
                let next = next + extension;
                score = -self.search(&child, next, ply + 1, Window::new(-beta, -alpha));
            } else {
                let mut reduction = 0;
                if depth >= 2 && count >= 2 {
                    reduction = guesses.reduction(depth, count);
                    reduction -= i32::from(!window.is_null());
                    reduction += guesses.history_reduction(self.experience.history::<P>(side, mv));
                    reduction = reduction.clamp(0, next.max(1) - 1);
                }
                let null = Window::null(alpha).flipped();
                score = -self.search(&child, next - reduction, ply + 1, null);
                if score > alpha && reduction > 0 {
                    score = -self.search(&child, next, ply + 1, null);
                }
                if score > alpha && score < beta {
                    score = -self.search(&child, next, ply + 1, Window::new(-beta, -alpha));
                }
            }
            if self.budget.is_stopped() {
                return (best, best_move);
            }
            if score > best {
                best = score;
                if score > alpha {
                    alpha = score;
                    best_move = Some(mv);
                    self.extend_line(ply, mv);
                    if alpha >= beta {
                        let tried = &self.moves[base..index];
                        self.experience.learn::<P>(side, mv, tried, depth, ply);
                        break;
                    }
                }
            }
        }
        (best, best_move)
    }

    /// Makes `mv` and what follows it the best line from a ply on.
    pub fn extend_line(&mut self, ply: usize, mv: P::Move) {
        let (front, back) = self.lines.split_at_mut(ply + 1);
        front[ply].clear();
        front[ply].push(mv);
        front[ply].extend_from_slice(&back[0]);
    }
}

/// Does some work, compiled for the registers that a game gains by.
#[inline(always)]
fn compiled<P: Searchable, R>(work: impl FnOnce() -> R) -> R {
    if P::GAINS_BY_AVX512 {
        widest_of_all(
            #[inline(always)]
            |_| work(),
        )
    } else {
        widest(work)
    }
}

/// Stands in for the evaluation of a ply at which a null move was made.
const NULL_MOVED: i32 = INFINITE;

/// The score of a table entry where it settles the question.
#[inline]
fn cut_off(hit: &Hit, depth: i32, window: Window) -> Option<i32> {
    let settles = window.is_null()
        && hit.depth >= depth
        && match hit.bound {
            Bound::Exact => true,
            Bound::Lower => hit.score >= window.beta,
            Bound::Upper => hit.score <= window.alpha,
        };
    settles.then_some(hit.score)
}
