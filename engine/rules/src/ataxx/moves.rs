//! Squares and moves, and the tables of where a piece can go.

use std::fmt;

/// A square of the board: bit `8 * row + column`, both from 0 at a1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Square(u8);

impl Square {
    /// The square of a column and a row, both from 0 to 6; `None` off the board.
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if column < 7 && row < 7 {
            Some(Self(8 * row + column))
        } else {
            None
        }
    }

    /// The lowest square of a set that is not empty.
    #[inline]
    pub const fn from_bit(set: u64) -> Self {
        Self((set.trailing_zeros() & 63) as u8)
    }

    /// The set that holds only this square.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << self.0
    }

    /// The bit number, for tables of 64 entries.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The column, from 0 for a.
    pub const fn column(self) -> u8 {
        self.0 & 7
    }

    /// The row, from 0 for 1.
    pub const fn row(self) -> u8 {
        self.0 >> 3
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(b'a' + self.column());
        write!(f, "{column}{}", self.row() + 1)
    }
}

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
        let code = |from: Square, to: Square| u64::from(from.0) << 8 | u64::from(to.0);
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

/// Per square, the up to 8 squares one step away.
pub static NEIGHBOURS: [u64; 64] = ring(1);

/// Per square, the up to 16 squares two steps away.
pub static JUMPS: [u64; 64] = ring(2);

/// Per square of the board, the squares at a distance (the larger of columns and rows).
const fn ring(distance: u8) -> [u64; 64] {
    let mut table = [0; 64];
    let mut from = 0;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            let columns = (from as u8 & 7).abs_diff(to as u8 & 7);
            let rows = (from as u8 >> 3).abs_diff(to as u8 >> 3);
            let steps = if columns > rows { columns } else { rows };
            if steps == distance && super::BOARD >> from & super::BOARD >> to & 1 == 1 {
                table[from] |= 1 << to;
            }
            to += 1;
        }
        from += 1;
    }
    table
}
