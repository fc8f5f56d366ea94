//! Squares, bitboards, and tables of the squares that a piece can reach.

use std::fmt;

/// The 49 squares of the board.
pub const BOARD: u64 = 0x007f_7f7f_7f7f_7f7f;

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

/// All squares at most one step from a set, the set included.
#[inline]
pub const fn within_one(set: u64) -> u64 {
    let wide = set | (set << 1) | (set >> 1);
    (wide | (wide << 8) | (wide >> 8)) & BOARD
}

/// All squares at most two steps from a set, the set included.
#[inline]
pub const fn within_two(set: u64) -> u64 {
    within_one(within_one(set))
}

/// The squares of a set, from a1 upwards.
#[inline]
pub fn squares(mut set: u64) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = Square::from_bit(set);
        set &= set - 1;
        Some(square)
    })
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
            if steps == distance && BOARD >> from & BOARD >> to & 1 == 1 {
                table[from] |= 1 << to;
            }
            to += 1;
        }
        from += 1;
    }
    table
}
