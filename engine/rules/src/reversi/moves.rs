//! Moves and their codes.

use std::fmt;

use crate::board8::Square;

/// A move; its text is the square, or `--` for a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// A new piece on an empty square.
    Place {
        /// Where it is put.
        to: Square,
    },
    /// No move at all: forced, and only while the opponent can move.
    Pass,
}

const PASS_CODE: u64 = 64;

impl From<Move> for u64 {
    fn from(mv: Move) -> Self {
        match mv {
            Move::Place { to } => to.index() as u64,
            Move::Pass => PASS_CODE,
        }
    }
}

impl TryFrom<u64> for Move {
    type Error = ();

    fn try_from(code: u64) -> Result<Self, ()> {
        match code {
            0..64 => Ok(Self::Place {
                to: Square::from_index(code as usize),
            }),
            PASS_CODE => Ok(Self::Pass),
            _ => Err(()),
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Place { to } => to.fmt(f),
            Self::Pass => f.write_str("--"),
        }
    }
}
