//! What the search needs to know about a game besides its rules.

use ataxxd_rules::hash::STEP;

use crate::ending::Endgame;
use crate::evaluate::Evaluate;
use crate::tuning::Tuning;
use crate::win_finder::ForcedWins;

/// A game that can be searched.
///
/// Every method, here and in the three traits below it, has a default that is right for any
/// game; overriding them makes the search stronger or faster.
pub trait Searchable: Evaluate + ForcedWins + Endgame {
    /// The numbers that are the game's own.
    const TUNING: Tuning = Tuning::DEFAULT;

    /// Whether its search is faster where it is compiled for registers of 512 bits.
    const GAINS_BY_AVX512: bool = false;

    /// Where the history of a move is kept, below [`HISTORY_SLOTS`].
    #[inline]
    fn history_slot(mv: Self::Move) -> usize {
        usize::from(Self::move_tag(mv)) % HISTORY_SLOTS
    }

    /// A short name of a move for the table; a clash within a position costs only time.
    #[inline]
    fn move_tag(mv: Self::Move) -> u16 {
        let code: u64 = mv.into();
        (code.wrapping_mul(STEP) >> 48) as u16 | 1
    }

    /// Whether the position has come before: the search takes that for a draw, as whoever wants none has to leave the
    /// cycle, now or the next time.
    #[inline]
    fn repeats(&self) -> bool {
        false
    }

    /// The key of the transposition table.
    ///
    /// It may leave out counters that cannot matter within [`COUNTER_HORIZON`] plies.
    #[inline]
    fn table_key(&self) -> u64 {
        self.key()
    }

    /// The position with the other side to move, where skipping a move never helps; else `None`.
    ///
    /// The search asks it "and if I did nothing?" (null move pruning).
    fn after_null_move(&self) -> Option<Self> {
        None
    }

    /// For how many more moves of each side a clock has to last: those that still need time to think.
    fn moves_to_go(&self) -> u32 {
        30
    }
}

/// Places for the history of moves, of each side.
pub const HISTORY_SLOTS: usize = 4096;

/// Plies within which a counter left out of `table_key` cannot end the game.
///
/// Wins that are further away are not kept in the table, so none is believed where
/// another count of the counter would spoil it.
pub const COUNTER_HORIZON: i32 = 16;
