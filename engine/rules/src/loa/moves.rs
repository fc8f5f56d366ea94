//! Moves and their codes.

use std::fmt;

use super::lines::share_a_line;
use crate::board8::Square;

/// A move; its text is `b1-d3`, or `-` for a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// A piece goes along a line, and takes the piece of the opponent that it meets there.
    Step {
        /// Where it leaves from.
        from: Square,
        /// Where it lands.
        to: Square,
    },
    /// No move at all, only legal when there is no other.
    Pass,
}

const PASS_CODE: u64 = 0xffff;

impl Move {
    /// The move between two squares, if they are different and share a line.
    pub const fn between(from: Square, to: Square) -> Option<Self> {
        if share_a_line(from, to) {
            Some(Self::Step { from, to })
        } else {
            None
        }
    }
}

impl From<Move> for u64 {
    /// Source and target in a byte each.
    fn from(mv: Move) -> Self {
        match mv {
            Move::Step { from, to } => (from.index() << 8 | to.index()) as u64,
            Move::Pass => PASS_CODE,
        }
    }
}

impl TryFrom<u64> for Move {
    type Error = ();

    fn try_from(code: u64) -> Result<Self, ()> {
        match code {
            PASS_CODE => Ok(Self::Pass),
            _ if code & !0x3f3f != 0 => Err(()),
            _ => {
                let square = |bits: u64| Square::from_index((bits & 63) as usize);
                Self::between(square(code >> 8), square(code)).ok_or(())
            }
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Step { from, to } => write!(f, "{from}-{to}"),
            Self::Pass => f.write_str("-"),
        }
    }
}
