//! The 32 squares, laid out so that a step in any direction is a shift by 4 or 5.
//!
//! After every eight squares one bit stays free: squares 1 to 8 are bits 0 to 7, 9 to 16
//! bits 9 to 16, and so on up to bit 34. The free bits and the ends of the word catch every
//! step over the edge.

use std::fmt;

/// The 32 squares as a set.
pub const BOARD: u64 = 0x7_fbfd_feff;

/// The squares 1 to 4, where White's men are crowned.
pub const TOP_ROW: u64 = 0xf;

/// The squares 29 to 32, where Black's men are crowned.
pub const BOTTOM_ROW: u64 = 0x7_8000_0000;

/// A square: its bit number in the layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square of a number from 1 to 32; `None` for any other.
    pub const fn from_number(number: u32) -> Option<Self> {
        match number {
            1..=32 => Some(Self((number - 1 + (number - 1) / 8) as u8)),
            _ => None,
        }
    }

    /// The lowest square of a set that is not empty.
    #[inline]
    pub const fn from_bit(set: u64) -> Self {
        Self(set.trailing_zeros() as u8)
    }

    /// The set that holds only this square.
    #[inline]
    pub const fn bit(self) -> u64 {
        1 << (self.0 & 63)
    }

    /// The number by which the square is known, from 1 to 32.
    pub const fn number(self) -> u32 {
        self.0 as u32 - self.0 as u32 / 9 + 1
    }

    /// The row, from 0 for the squares 1 to 4.
    pub const fn row(self) -> u32 {
        (self.number() - 1) / 4
    }

    /// The column, from 0 at the left with square 1 at the top.
    pub const fn column(self) -> u32 {
        2 * ((self.number() - 1) % 4) + 1 - self.row() % 2
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.number().fmt(f)
    }
}

/// A diagonal direction, on a board with square 1 at the top.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Down and to the left.
    DownLeft = 0,
    /// Down and to the right.
    DownRight = 1,
    /// Up and to the left.
    UpLeft = 2,
    /// Up and to the right.
    UpRight = 3,
}

impl Direction {
    /// All four; Black's men go by the first two, White's by the last two.
    pub const ALL: [Self; 4] = [Self::DownLeft, Self::DownRight, Self::UpLeft, Self::UpRight];

    /// The direction back.
    #[inline]
    pub const fn opposite(self) -> Self {
        match self {
            Self::DownLeft => Self::UpRight,
            Self::DownRight => Self::UpLeft,
            Self::UpLeft => Self::DownRight,
            Self::UpRight => Self::DownLeft,
        }
    }

    /// The set one step on; what leaves the board may come to bits that are no squares.
    #[inline]
    pub(super) const fn shift(self, set: u64) -> u64 {
        match self {
            Self::DownLeft => set << 4,
            Self::DownRight => set << 5,
            Self::UpLeft => set >> 5,
            Self::UpRight => set >> 4,
        }
    }

    /// The set one step on; what leaves the board is gone.
    #[inline]
    pub const fn step(self, set: u64) -> u64 {
        BOARD & self.shift(set)
    }

    /// The set one step back.
    #[inline]
    pub const fn back(self, set: u64) -> u64 {
        self.opposite().step(set)
    }
}

/// The squares of a set, in the order of their numbers.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn squares_lie_where_the_numbering_puts_them() {
        let all: Vec<_> = squares(BOARD).collect();
        assert_eq!(all.len(), 32);
        for (square, number) in all.into_iter().zip(1..) {
            assert_eq!(square.number(), number);
            assert_eq!(Square::from_number(number), Some(square));
            let (row, column) = (square.row() as i32, square.column() as i32);
            for (direction, down, right) in [
                (Direction::DownLeft, 1, -1),
                (Direction::DownRight, 1, 1),
                (Direction::UpLeft, -1, -1),
                (Direction::UpRight, -1, 1),
            ] {
                let next = direction.step(square.bit());
                let on_board = (0..8).contains(&(row + down)) && (0..8).contains(&(column + right));
                assert_eq!(next != 0, on_board, "from {square} {direction:?}");
                if on_board {
                    let next = Square::from_bit(next);
                    assert_eq!(next.row() as i32, row + down);
                    assert_eq!(next.column() as i32, column + right);
                    assert_eq!(direction.back(next.bit()), square.bit());
                }
            }
        }
        assert_eq!([0, 33].map(Square::from_number), [None, None]);
    }
}
