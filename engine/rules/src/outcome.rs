//! Who plays, and how a game ended.

/// A player: who moves first in the game, not a colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Side {
    /// Moves first.
    First = 0,
    /// Moves second.
    Second = 1,
}

impl Side {
    /// The other side.
    #[inline]
    pub const fn opponent(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    /// 0 or 1, for arrays indexed by side.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// The end of a game: *why* is separate from *who*.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Outcome {
    /// Why the game ended, such as `no-moves`.
    pub termination: &'static str,
    /// Who won; `None` is a draw.
    pub winner: Option<Side>,
}

impl Outcome {
    /// The score as records write it: `1-0`, `0-1` or `1/2-1/2`.
    pub const fn score(&self) -> &'static str {
        match self.winner {
            Some(Side::First) => "1-0",
            Some(Side::Second) => "0-1",
            None => "1/2-1/2",
        }
    }
}
