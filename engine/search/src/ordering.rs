//! Move ordering.

use ataxxd_processor::widest;
use ataxxd_rules::Side;

use crate::Searchable;
use crate::searchable::HISTORY_SLOTS;
use crate::tuning::Tuning;

/// A move and how early it deserves to be tried.
#[derive(Debug, Clone, Copy)]
pub struct Scored<M> {
    pub mv: M,
    /// What it wins at once, in centipieces.
    pub gain: i32,
    pub score: i32,
}

/// Above every other score: the table's move.
const TABLE_MOVE: i32 = i32::MAX;
const HISTORY_LIMIT: i32 = 16_384;

/// What earlier parts of the search teach about moves.
#[derive(Debug)]
pub struct Experience<M> {
    history: [Vec<i16>; 2],
    killers: Vec<Option<M>>,
    /// What a centipiece, and what a killer is worth in the order, in history points.
    weights: (i32, i32),
    /// How much depth counts for the history, and at most how much.
    bonus: (i32, i32),
}

impl<M: Copy + Eq> Experience<M> {
    pub fn new(plies: usize, tuning: &Tuning) -> Self {
        Self {
            history: [vec![0; HISTORY_SLOTS], vec![0; HISTORY_SLOTS]],
            killers: vec![None; plies + 2],
            weights: (tuning.gain_weight, tuning.killer * tuning.gain_weight),
            bonus: (tuning.history_bonus, tuning.history_most),
        }
    }

    /// Puts all legal moves at the end of `moves`, with their scores.
    #[inline(always)]
    pub fn rank<P: Searchable<Move = M>>(
        &self,
        position: &P,
        table_tag: u16,
        ply: usize,
        moves: &mut Vec<Scored<M>>,
    ) {
        let history = &self.history[position.turn().index()];
        let killer = self.killers[ply];
        let (weight, killer_score) = self.weights;
        // In a function of its own: in a larger one compilers find fewer wide instructions.
        widest(
            #[inline(always)]
            || {
                position.for_each_gain(
                    #[inline(always)]
                    |mv, gain| {
                        let mut score = weight * (gain + P::ordering_bonus(mv));
                        score += i32::from(history[P::history_slot(mv)]);
                        if killer == Some(mv) {
                            score += killer_score;
                        }
                        if P::move_tag(mv) == table_tag {
                            score = TABLE_MOVE;
                        }
                        moves.push(Scored { mv, gain, score });
                    },
                );
            },
        );
    }

    /// Learns that `best` refuted the position where `tried` before it did not.
    pub fn learn<P: Searchable<Move = M>>(
        &mut self,
        side: Side,
        best: M,
        tried: &[Scored<M>],
        depth: i32,
        ply: usize,
    ) {
        self.killers[ply] = Some(best);
        let (factor, most) = self.bonus;
        let bonus = (factor * depth * (depth + 2)).min(most);
        let history = &mut self.history[side.index()];
        adjust(&mut history[P::history_slot(best)], bonus);
        for tried in tried {
            adjust(&mut history[P::history_slot(tried.mv)], -bonus);
        }
    }

    /// How a move has fared, within ±`HISTORY_LIMIT`.
    #[inline]
    pub fn history<P: Searchable<Move = M>>(&self, side: Side, mv: M) -> i32 {
        i32::from(self.history[side.index()][P::history_slot(mv)])
    }
}

/// Moves a history value towards a bonus; it decays the more the larger it is.
fn adjust(value: &mut i16, bonus: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / HISTORY_LIMIT) as i16;
}

/// Brings the best of `moves[next..]` to `next` and gives it.
#[inline]
pub fn pick<M: Copy>(moves: &mut [Scored<M>], next: usize) -> Scored<M> {
    // Without branches, which would be mispredicted.
    let (mut best, mut score) = (next, moves[next].score);
    for (index, scored) in moves.iter().enumerate().skip(next + 1) {
        best = if scored.score > score { index } else { best };
        score = score.max(scored.score);
    }
    moves.swap(next, best);
    moves[next]
}
