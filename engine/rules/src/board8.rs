//! Squares of an 8x8 board, and sets of them, for the games that use all 64.
//!
//! Columns come first: square a1 is bit 0, a2 bit 1, b1 bit 8. Sets are listed column
//! by column, as people list squares and as the reversi laboratory lists moves.

use std::fmt;

/// The squares a1 to h1.
pub const ROW_1: u64 = 0x0101_0101_0101_0101;
const ROW_8: u64 = ROW_1 << 7;

/// A square of the board: bit `8 * column + row`, both from 0 at a1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square of a column and a row, both from 0 to 7; `None` off the board.
    pub const fn new(column: u8, row: u8) -> Option<Self> {
        if column < 8 && row < 8 {
            Some(Self(8 * column + row))
        } else {
            None
        }
    }

    /// The square of a bit number from 0 to 63.
    #[inline]
    pub const fn from_index(index: usize) -> Self {
        Self((index & 63) as u8)
    }

    /// The lowest square of a set that is not empty.
    #[inline]
    pub const fn from_bit(set: u64) -> Self {
        Self::from_index(set.trailing_zeros() as usize)
    }

    /// The set that holds only this square.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << self.index()
    }

    /// The bit number, for tables of 64 entries.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The column, from 0 for a.
    #[inline]
    pub const fn column(self) -> u8 {
        self.0 >> 3 & 7
    }

    /// The row, from 0 for 1.
    #[inline]
    pub const fn row(self) -> u8 {
        self.0 & 7
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Point::from(*self).fmt(f)
    }
}

/// A square as typed: any letter and digit, perhaps off the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point {
    pub column: u8,
    pub row: u8,
}

impl Point {
    /// Reads a letter and a digit in lower case.
    pub const fn read(letter: u8, digit: u8) -> Option<Self> {
        if letter.is_ascii_lowercase() && digit.is_ascii_digit() {
            Some(Self {
                column: letter - b'a',
                // A typed 0 wraps around to 255, which is off the board.
                row: (digit - b'0').wrapping_sub(1),
            })
        } else {
            None
        }
    }

    pub const fn square(self) -> Option<Square> {
        Square::new(self.column, self.row)
    }
}

impl From<Square> for Point {
    fn from(square: Square) -> Self {
        Self {
            column: square.column(),
            row: square.row(),
        }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column = char::from(b'a' + self.column);
        write!(f, "{column}{}", self.row.wrapping_add(1))
    }
}

/// What to say of a point that is no square.
pub(crate) fn off_board(point: Point) -> String {
    format!("{point} is off the board; columns are a to h and rows 1 to 8.")
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

/// All squares at most one step from a set, the set included.
#[inline]
pub const fn within_one(set: u64) -> u64 {
    let tall = set | (set << 1 & !ROW_1) | (set >> 1 & !ROW_8);
    tall | tall << 8 | tall >> 8
}

/// The squares of a set by name, column by column.
pub(crate) fn names(set: u64) -> String {
    let names: Vec<_> = squares(set).map(|square| square.to_string()).collect();
    names.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_do_not_wrap_around_the_edges() {
        for square in squares(u64::MAX) {
            let near: Vec<_> = squares(within_one(square.bit())).collect();
            assert!(near.iter().all(|other| {
                square.column().abs_diff(other.column()) <= 1
                    && square.row().abs_diff(other.row()) <= 1
            }));
            assert!([4, 6, 9].contains(&near.len()));
        }
    }
}
