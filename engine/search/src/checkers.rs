//! Checkers for the search: captures played out, then men and kings, and what a network adds to that.

mod endgame;
pub mod tables;
pub mod windows;

use ataxxd_rules::Position;
use ataxxd_rules::checkers::{BOTTOM_ROW, Checkers, Move, TOP_ROW};
use ataxxd_rules::hash::STEP;

use crate::score::MOST_KNOWN_PLIES;
use crate::searchable::COUNTER_HORIZON;
use crate::{Endgame, Evaluate, ForcedWins, Known, PlainValue, Searchable, Tuning, net};
use tables::verdict::Verdict;

impl Evaluate for Checkers {
    type Evaluator = crate::FromScratch;

    /// Captures are forced, so the material on the board says nothing before they are made.
    fn evaluate(&self) -> i32 {
        match endgame::verdict(self) {
            Some(Verdict::Draw) => return 0,
            Some(Verdict::Win { plies }) => return FAR_WIN - FARTHER * plies as i32,
            Some(Verdict::Loss { plies }) => return FARTHER * plies as i32 - FAR_WIN,
            None if !self.must_capture() => {
                return net::evaluate(self).clamp(-UNDECIDED, UNDECIDED);
            }
            None => {}
        }
        let mut best = -LOST;
        self.for_each_move(|mv| {
            let after = self.play_unchecked(mv);
            best = best.max(if after.counts()[after.turn().index()] == 0 {
                LOST
            } else {
                -after.evaluate()
            });
        });
        best
    }

    #[inline]
    fn gain(&self, mv: Move) -> i32 {
        let taken = mv.captured();
        let man = self.kings() & mv.from().bit() == 0;
        let crowned = man && mv.to().bit() & (TOP_ROW | BOTTOM_ROW) != 0;
        MAN * taken.count_ones() as i32
            + (KING - MAN) * (taken & self.kings()).count_ones() as i32
            + if crowned { KING - MAN } else { 0 }
    }
}

impl ForcedWins for Checkers {}

impl Endgame for Checkers {
    #[inline]
    fn known_end(&self) -> Option<(i32, u32)> {
        endgame::known_end(self, CLOCK_SLACK)
    }

    fn known_line(&self) -> Option<Known<Move>> {
        endgame::known_line(self)
    }

    fn begin_loading_tables() {
        tables::begin_preparing();
    }

    fn load_tables() {
        tables::shipped().unpack();
        tables::wait_for_larger();
    }
}

impl Searchable for Checkers {
    const GAINS_BY_AVX512: bool = true;

    const TUNING: Tuning = Tuning {
        // The tables know wins that are further away than the search sees.
        kept_win: MOST_KNOWN_PLIES as i32,
        margin_percent: 81,
        aspiration: 38,
        reverse_futility_depth: 7,
        reverse_futility_margin: 41,
        futility_margin: 95,
        futility_slope: 64,
        late_move_count: 340,
        reduction: 39,
        reduction_divisor: 133,
        history_reduction: 1_052,
        history_bonus: 15,
        history_most: 1_965,
        killer: 403,
        gain_weight: 29,
        ..Tuning::DEFAULT
    };

    #[inline]
    fn history_slot(mv: Move) -> usize {
        let [from, to] = [mv.from(), mv.to()].map(|square| square.bit().trailing_zeros());
        (from << 6 | to) as usize
    }

    #[inline]
    fn repeats(&self) -> bool {
        self.occurrences() > 1
    }

    #[inline]
    fn table_key(&self) -> u64 {
        match self.draw_clock() {
            Some((plies, limit)) if plies as i32 + COUNTER_HORIZON >= limit as i32 => self.key(),
            Some((plies, _)) if plies >= CLOCK_SLACK => {
                // Any odd number keeps the bands apart.
                self.search_key() ^ u64::from(plies / 8).wrapping_mul(STEP)
            }
            _ => self.search_key(),
        }
    }
}

impl PlainValue for Checkers {}

/// By how many plies the draw clocks of positions that share a table key may differ, at most.
const CLOCK_SLACK: u32 = 20;

/// The most that a position outside the tables is worth; less than any win by the tables.
const UNDECIDED: i32 = 3_000;

/// A win by the tables for which the draw rules may leave too little time, before the deduction for its length.
const FAR_WIN: i32 = UNDECIDED + FARTHER * (MOST_KNOWN_PLIES as i32 + 1);

/// The deduction for each ply until the win.
const FARTHER: i32 = 8;

/// More than any material.
const LOST: i32 = 5_000;
const _: () = assert!(FAR_WIN < LOST);
const _: () = assert!(FAR_WIN - FARTHER * MOST_KNOWN_PLIES as i32 > UNDECIDED);

/// Centipieces.
const MAN: i32 = 100;
const KING: i32 = 140;

/// The 32 squares of the rules' layout side by side.
#[inline]
const fn without_gaps(set: u64) -> u32 {
    (set & 0xff | set >> 1 & 0xff00 | set >> 2 & 0xff_0000 | set >> 3 & 0xff00_0000) as u32
}

/// What the side to move has more than the other, in centipieces.
fn material(position: &Checkers) -> i32 {
    let turn = position.turn();
    let worth = |side| {
        let pieces = position.pieces(side);
        let kings = (pieces & position.kings()).count_ones() as i32;
        MAN * pieces.count_ones() as i32 + (KING - MAN) * kings
    };
    worth(turn) - worth(turn.opponent())
}
