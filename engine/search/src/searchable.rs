//! What a search needs to know of a game beyond its rules.

use ataxxd_rules::hash::STEP;

use crate::ending::Endgame;
use crate::evaluate::Evaluate;
use crate::score::MOST_KNOWN_PLIES;
use crate::win_finder::{ForcedWins, HORIZON};

/// A game that can be searched.
///
/// Every method, here and in the three traits below it, has a default that is right for any
/// game; overriding them makes the search stronger or faster.
pub trait Searchable: Evaluate + ForcedWins + Endgame {
    /// The numbers that are the game's own.
    const TUNING: Tuning = Tuning::DEFAULT;

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
}

/// What the search does differently from game to game; chosen by matches.
#[derive(Debug, Clone, Copy)]
pub struct Tuning {
    /// By how much the margins of the pruning are wider than in Ataxx, where the worth of
    /// positions changes less from move to move.
    pub margin_scale: i32,
    /// After so many moves quiet ones, which gain nothing, are not tried: for games where they are
    /// hardly ever good.
    pub quiet_moves: usize,
    /// Moves within which every forced win is proved before the search proper.
    ///
    /// Less where `cannot_win_within` rules out too little to afford more; longer wins are
    /// then found as the search goes deeper, but without the promise.
    pub win_horizon: u32,
    /// The share of the time, in percent, that may go into proving them.
    pub win_share: u32,
    /// Positions that these proofs may visit where no time bounds them: about two seconds of a slow
    /// machine, and several times the longest proof that random games have come to.
    pub most_in_proofs: u64,
    /// Whether a forced win is a row of threats: who can hold out when it passes can hold out.
    ///
    /// Zugzwang is forgotten then, and the promise holds but for that.
    pub wins_by_threats: bool,
    /// Plies within which a win is kept in the table; further ones are found again.
    pub kept_win: i32,
}

impl Tuning {
    /// What suits most games.
    pub const DEFAULT: Self = Self {
        margin_scale: 1,
        quiet_moves: usize::MAX,
        win_horizon: HORIZON,
        win_share: 60,
        most_in_proofs: 25_000_000,
        wins_by_threats: false,
        kept_win: COUNTER_HORIZON,
    };

    /// The same numbers, once it is sure that the search can work with them.
    pub(crate) const fn checked(self) -> Self {
        // Deep in a line a longer win would not count as one.
        assert!(self.kept_win <= MOST_KNOWN_PLIES as i32);
        self
    }
}

/// Places for the history of moves, of each side.
pub const HISTORY_SLOTS: usize = 4096;

/// Plies within which a counter left out of `table_key` cannot end the game.
///
/// Wins that are further away are not kept in the table, so none is believed where
/// another count of the counter would spoil it.
pub const COUNTER_HORIZON: i32 = 16;
