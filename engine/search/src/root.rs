//! The root position: its moves, and the best one so far.

use crate::instability::Instability;
use crate::limits::Budget;
use crate::noise::Noise;
use crate::pvs::{Pvs, Window};
use crate::score::{self, INFINITE, WIN, is_decided};
use crate::{Monitor, Report, Searchable};

/// From which depth on the window starts narrow.
const ASPIRATION_DEPTH: i32 = 4;

/// A move of the root.
#[derive(Debug, Clone, Copy)]
struct Candidate<M> {
    mv: M,
    /// What the seed adds to its score.
    bonus: i32,
    /// Positions visited below it, in all iterations.
    nodes: u64,
}

/// The root of one search.
pub struct Root<'a, P: Searchable> {
    position: &'a P,
    eval: i32,
    /// The best move first.
    moves: Vec<Candidate<P::Move>>,
    /// Score of the best move, without its bonus.
    score: i32,
    line: Vec<P::Move>,
    /// Plies of the last finished iteration.
    depth: u32,
    instability: Instability<P::Move>,
}

impl<'a, P: Searchable> Root<'a, P> {
    /// Starts with the moves in the order of what they win at once.
    pub fn new(position: &'a P, mut moves: Vec<P::Move>, noise: Noise) -> Self {
        moves.sort_by_key(|&mv| -position.gain(mv));
        let candidate = |&mv: &P::Move| Candidate {
            mv,
            bonus: noise.bonus::<P>(position.key(), mv),
            nodes: 0,
        };
        let eval = position.evaluate();
        Self {
            position,
            eval,
            line: vec![moves[0]],
            instability: Instability::new(moves[0], eval),
            moves: moves.iter().map(candidate).collect(),
            score: eval,
            depth: 0,
        }
    }

    /// What is known so far.
    pub fn report(&self, budget: &Budget<'_>) -> Report<P::Move> {
        Report {
            best: self.line[0],
            score: self.score,
            mate_in: score::mate_in(self.score),
            margin: None,
            depth: self.depth,
            nodes: budget.nodes(),
            elapsed: budget.elapsed(),
            line: self.line.clone(),
        }
    }

    /// Whether the game is decided and more depth would not change how.
    pub fn is_settled(&self) -> bool {
        let plies = WIN - self.score.abs();
        is_decided(self.score) && (self.score > 0 || self.depth as i32 > plies)
    }

    /// The move that seems best where the opponent's answers are overlooked; its score is not known.
    pub fn first_sight(&self, budget: &Budget<'_>) -> Report<P::Move> {
        let seems = |candidate: &&Candidate<P::Move>| {
            self.position.first_sight(candidate.mv) + candidate.bonus
        };
        let best = self
            .moves
            .iter()
            .max_by_key(seems)
            .map_or(self.line[0], |candidate| candidate.mv);
        Report {
            best,
            score: self.eval,
            mate_in: None,
            line: vec![best],
            ..self.report(budget)
        }
    }

    /// The factor by which it is worth searching longer or shorter than usual; see [`Instability::factor`].
    pub fn instability(&self) -> f64 {
        let all: u64 = self.moves.iter().map(|each| each.nodes).sum();
        let effort = self.moves[0].nodes as f64 / all.max(1) as f64;
        self.instability.factor(effort, P::TUNING.margin_scale)
    }

    /// Searches all moves to a depth; `false` when the budget was spent before the end.
    ///
    /// An unfinished iteration counts as far as it got: the move that was best is
    /// searched first, so one that overtakes it is better.
    pub fn iterate<M: Monitor<P::Move>>(&mut self, pvs: &mut Pvs<'_, P, M>, depth: u32) -> bool {
        pvs.enter_root(self.position, depth as i32);
        let (mut width, widest) = pvs.guesses.aspiration;
        let mut window = Window::new(-INFINITE, INFINITE);
        if depth as i32 >= ASPIRATION_DEPTH && !is_decided(self.score) {
            let score = self.score + self.moves[0].bonus;
            window = Window::new(score - width, score + width);
        }
        loop {
            let score = self.try_moves(pvs, depth as i32, window);
            if pvs.budget.is_stopped() {
                return false;
            }
            width *= 3;
            let open = width > widest || is_decided(score);
            if score <= window.alpha {
                window.beta = (window.alpha + window.beta) / 2;
                window.alpha = if open { -INFINITE } else { score - width };
            } else if score >= window.beta {
                window.beta = if open { INFINITE } else { score + width };
            } else {
                self.depth = depth;
                self.instability.hear(self.line[0], self.score);
                return true;
            }
        }
    }

    /// The best score of all moves, bonus included; keeps the best move when it is above alpha.
    fn try_moves<M: Monitor<P::Move>>(
        &mut self,
        pvs: &mut Pvs<'_, P, M>,
        depth: i32,
        window: Window,
    ) -> i32 {
        let (mut alpha, mut best) = (window.alpha, -INFINITE);
        for index in 0..self.moves.len() {
            let Candidate { mv, bonus, .. } = self.moves[index];
            let visited = pvs.budget.own_nodes();
            let child = self.position.play_unchecked(mv);
            // The bonus shifts the window instead of the score: both come to the same.
            let shifted = |alpha, beta| Window::new(alpha - bonus, beta - bonus).flipped();
            let mut score = alpha + 1;
            if index > 0 {
                let reduction = pvs.root_reduction(depth, index);
                let null = shifted(alpha, alpha + 1);
                score = with_bonus(-pvs.search(&child, depth - 1 - reduction, 1, null), bonus);
                if score > alpha && reduction > 0 {
                    score = with_bonus(-pvs.search(&child, depth - 1, 1, null), bonus);
                }
            }
            if score > alpha && !pvs.budget.is_stopped() {
                let full = shifted(alpha, window.beta);
                score = with_bonus(-pvs.search(&child, depth - 1, 1, full), bonus);
            }
            self.moves[index].nodes += pvs.budget.own_nodes() - visited;
            if pvs.budget.is_stopped() {
                break;
            }
            best = best.max(score);
            if score > alpha {
                alpha = score;
                pvs.extend_line(0, mv);
                self.line = pvs.line(0).to_vec();
                self.score = if is_decided(score) {
                    score
                } else {
                    score - bonus
                };
                self.moves[..=index].rotate_right(1);
                if alpha >= window.beta {
                    break;
                }
            }
        }
        best
    }
}

/// A score with its bonus; the distance of a win is not changed.
fn with_bonus(score: i32, bonus: i32) -> i32 {
    if is_decided(score) {
        score
    } else {
        score + bonus
    }
}
