//! Ataxx for the search: ordering hints, table keys and quick results.

mod neighbours;
pub mod windows;
mod wins;

use ataxxd_rules::ataxx::{Ataxx, Move, within_two};
use ataxxd_rules::{Position, Side};

use crate::searchable::COUNTER_HORIZON;
use crate::{Endgame, Evaluate, ForcedWins, PlainValue, Searchable, Tuning, net};

impl Evaluate for Ataxx {
    #[cfg(not(target_arch = "wasm32"))]
    type Evaluator = net::Accumulators<128, { net::lanes(256) }>;
    #[cfg(target_arch = "wasm32")]
    type Evaluator = crate::FromScratch;

    #[inline]
    fn evaluate(&self) -> i32 {
        net::evaluate(self)
    }

    #[inline]
    fn gain(&self, mv: Move) -> i32 {
        let turned = |to| 200 * self.captures(to).count_ones() as i32;
        match mv {
            Move::Pass => 0,
            Move::Clone { to } => 100 + turned(to),
            Move::Jump { to, .. } => turned(to),
        }
    }

    /// A clone leaves no hole.
    #[inline]
    fn ordering_bonus(mv: Move) -> i32 {
        if matches!(mv, Move::Clone { .. }) {
            150
        } else {
            0
        }
    }

    #[inline]
    fn result(&self) -> Option<i32> {
        let (own, other) = sides(self);
        let over = own == 0
            || other == 0
            || self.clock() >= self.clock_limit()
            || within_two(own | other) & self.empty() == 0;
        if !over {
            return None;
        }
        let winner = self.outcome()?.winner;
        Some(winner.map_or(0, |side| if side == self.turn() { 1 } else { -1 }))
    }
}

impl ForcedWins for Ataxx {
    #[inline]
    fn winning_move(&self) -> Option<Move> {
        wins::winning_move(self)
    }

    #[inline]
    fn for_each_attack(&self, moves: u32, visit: impl FnMut(Move)) {
        wins::for_each_attack(self, moves, visit);
    }

    #[inline]
    fn cannot_win_within(&self, side: Side, moves: u32) -> bool {
        wins::cannot_win_within(self, side, moves)
    }
}

impl Endgame for Ataxx {}

impl Searchable for Ataxx {
    const TUNING: Tuning = Tuning {
        // Quiet moves are jumps that take nothing.
        quiet_moves: 2,
        reverse_futility_margin: 37,
        futility_margin: 86,
        futility_slope: 25,
        late_move_count: 355,
        late_move_slope: 159,
        reduction_divisor: 148,
        history_reduction: 780,
        gain_weight: 38,
        ..Tuning::DEFAULT
    };

    #[inline]
    fn history_slot(mv: Move) -> usize {
        match mv {
            Move::Pass => 0,
            Move::Clone { to } => to.index() << 6 | to.index(),
            Move::Jump { from, to } => from.index() << 6 | to.index(),
        }
    }

    #[inline]
    fn move_tag(mv: Move) -> u16 {
        let code: u64 = mv.into();
        code as u16 ^ 0x8080 // 0 stays free: no square has bit 7
    }

    #[inline]
    fn table_key(&self) -> u64 {
        if self.clock() as i32 + COUNTER_HORIZON < self.clock_limit() as i32 {
            self.search_key()
        } else {
            self.key()
        }
    }

    /// About so many are played, and shallow searches lose games up to the end.
    fn moves_to_go(&self) -> u32 {
        self.empty().count_ones() * 9 / 10 + 4
    }
}

impl PlainValue for Ataxx {}

/// The pieces of the side to move and of the other.
#[inline]
fn sides(position: &Ataxx) -> (u64, u64) {
    let turn = position.turn();
    (position.pieces(turn), position.pieces(turn.opponent()))
}
