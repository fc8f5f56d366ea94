//! Lines of action: which squares they hold, and how many pieces stand on each.

use crate::board8::Square;

/// A direction of lines, as the step in bit numbers from one square of a line to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Axis {
    /// Along a column, such as a1 to a8.
    Column = 0,
    /// Along a row, such as a1 to h1.
    Row = 1,
    /// Along a diagonal as from a1 to h8.
    Rising = 2,
    /// Along a diagonal as from a8 to h1.
    Falling = 3,
}

impl Axis {
    /// All four axes.
    pub const ALL: [Self; 4] = [Self::Column, Self::Row, Self::Rising, Self::Falling];

    /// The step in bit numbers.
    #[inline]
    pub const fn step(self) -> u32 {
        match self {
            Self::Column => 1,
            Self::Row => 8,
            Self::Rising => 9,
            Self::Falling => 7,
        }
    }

    /// The squares of the line along this axis through a square.
    #[inline]
    pub const fn line(self, square: Square) -> u64 {
        LINES[square.index()][self as usize]
    }

    /// The axis of the line that two different squares share, if they do.
    pub const fn of(from: Square, to: Square) -> Option<Self> {
        let mut axis = 0;
        while axis < 4 {
            if from.index() != to.index() && LINES[from.index()][axis] & to.bit() != 0 {
                return Some(Self::ALL[axis]);
            }
            axis += 1;
        }
        None
    }
}

/// Whether two squares are different and on one line.
pub const fn share_a_line(from: Square, to: Square) -> bool {
    Axis::of(from, to).is_some()
}

/// The squares strictly between two squares of one line; from the lower bit to the higher.
#[inline]
pub const fn between(line: u64, low: u64, high: u64) -> u64 {
    line & high.wrapping_sub(1) & !(low | low.wrapping_sub(1))
}

static LINES: [[u64; 4]; 64] = {
    let mut table = [[0; 4]; 64];
    let mut from = 0;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            let (column, row) = (from as i8 >> 3, from as i8 & 7);
            let (other_column, other_row) = (to as i8 >> 3, to as i8 & 7);
            let together = [
                column == other_column,
                row == other_row,
                column - row == other_column - other_row,
                column + row == other_column + other_row,
            ];
            let mut axis = 0;
            while axis < 4 {
                if together[axis] {
                    table[from][axis] |= 1 << to;
                }
                axis += 1;
            }
            to += 1;
        }
        from += 1;
    }
    table
};

/// How many pieces stand on every line, four bits a line.
///
/// Kept up to date by every move: counting bits again for each piece would cost more than all else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct LineCounts([u64; 4]);

impl LineCounts {
    /// The counts for a set of occupied squares.
    pub fn of(occupied: u64) -> Self {
        let mut counts = Self::default();
        for square in crate::board8::squares(occupied) {
            counts.add(square);
        }
        counts
    }

    /// Where the count of the line through a square begins, per axis.
    #[inline]
    const fn shifts(square: Square) -> [u32; 4] {
        let (column, row) = (square.column() as u32, square.row() as u32);
        [
            4 * column,
            4 * row,
            4 * (7 + column - row),
            4 * (column + row),
        ]
    }

    /// Pieces on the line along an axis through a square.
    #[inline]
    pub const fn along(&self, axis: Axis, square: Square) -> u32 {
        (self.0[axis as usize] >> Self::shifts(square)[axis as usize] & 15) as u32
    }

    /// A piece appears on a square.
    #[inline]
    pub fn add(&mut self, square: Square) {
        for (counts, shift) in self.0.iter_mut().zip(Self::shifts(square)) {
            *counts = counts.wrapping_add(1 << shift);
        }
    }

    /// A piece leaves a square.
    #[inline]
    pub fn remove(&mut self, square: Square) {
        for (counts, shift) in self.0.iter_mut().zip(Self::shifts(square)) {
            *counts = counts.wrapping_sub(1 << shift);
        }
    }
}
