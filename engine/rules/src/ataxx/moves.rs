//! Moves and their codes.

use std::fmt;

use super::{JUMPS, Square};

/// A move; its text is that of UAI: `g2`, `a7a5`, `0000`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Move {
    /// No move at all, only legal when there is no other.
    Pass,
    /// A new piece next to one that stands already; which one makes no difference.
    Clone {
        /// Where the new piece appears.
        to: Square,
    },
    /// A piece goes to a square exactly two columns or two rows away.
    Jump {
        /// Where it leaves from.
        from: Square,
        /// Where it lands.
        to: Square,
    },
}

const PASS_CODE: u64 = 0xffff;

impl From<Move> for u64 {
    /// Source and target in a byte each; a clone has its target twice.
    fn from(mv: Move) -> Self {
        let code = |from: Square, to: Square| (from.index() << 8 | to.index()) as u64;
        match mv {
            Move::Pass => PASS_CODE,
            Move::Clone { to } => code(to, to),
            Move::Jump { from, to } => code(from, to),
        }
    }
}

impl TryFrom<u64> for Move {
    type Error = ();

    fn try_from(code: u64) -> Result<Self, ()> {
        if code == PASS_CODE {
            return Ok(Self::Pass);
        }
        let square = |bits: u64| Square::new((bits & 7) as u8, (bits >> 3 & 31) as u8).ok_or(());
        let (from, to) = (square(code >> 8)?, square(code & 0xff)?);
        if code >> 16 != 0 {
            Err(())
        } else if from == to {
            Ok(Self::Clone { to })
        } else if JUMPS[from.index()] & to.bit() != 0 {
            Ok(Self::Jump { from, to })
        } else {
            Err(())
        }
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("0000"),
            Self::Clone { to } => write!(f, "{to}"),
            Self::Jump { from, to } => write!(f, "{from}{to}"),
        }
    }
}
