//! The lines of a board along which pieces move, as the network sees them: what stands on each column, each row and each
//! diagonal of three squares and more.
//!
//! How far a piece moves along a line is the number of pieces on it, so these say what moves there are.

use crate::bits::bits;

/// How many lines there are: eight columns, eight rows, and eleven diagonals of each kind.
const LINES: usize = 8 + 8 + 2 * 11;

/// The shortest diagonals.
const SHORTEST: usize = 3;

/// The states of eight squares, each empty, own or the other's.
const STATES: usize = 6_561;

/// The states of all different lines: four tables for columns and rows, by how far they are from the edge, and one for the
/// diagonals of each length.
pub const ROWS: usize = 4 * STATES + (STATES - 9) * 3 / 2;

/// One line.
#[derive(Debug, Clone, Copy)]
struct Line {
    squares: u64,
    /// What brings its squares side by side: a shift to the right, a factor, and another shift to the right.
    place: u8,
    factor: u64,
    shift: u8,
    /// Its first row of the network, counted from that of the first line.
    first: u16,
}

/// Brings the squares of a column or of a diagonal, each in another row, to the last column.
const BY_ROW: u64 = 0x0101_0101_0101_0101;
/// Brings those of the first row there, in the order of columns.
const BY_COLUMN: u64 = 0x0102_0408_1020_4080;

/// All lines.
static LINE: [Line; LINES] = {
    let none = Line {
        squares: 0,
        place: 0,
        factor: BY_ROW,
        shift: 56,
        first: 0,
    };
    let mut lines = [none; LINES];
    let mut number: usize = 0;
    while number < 8 {
        let from_edge = if number < 4 { number } else { 7 - number };
        let first = (from_edge * STATES) as u16;
        lines[number].squares = 0xff << (8 * number);
        lines[number].first = first;
        lines[8 + number].squares = BY_ROW << number;
        lines[8 + number].place = number as u8;
        lines[8 + number].factor = BY_COLUMN;
        lines[8 + number].first = first;
        number += 1;
    }
    let (mut line, mut first, mut states, mut length) = (16, 4 * STATES, STATES, 8);
    while length >= SHORTEST {
        let off = 8 - length;
        // Those that rise and those that fall, from the first column or to the last.
        let mut kind = 0;
        while kind < 4 {
            let (falls, to_last) = (kind % 2 == 1, kind / 2 == 1);
            let mut step = 0;
            while step < length {
                let (column, row) = if to_last {
                    (off + step, step)
                } else {
                    (step, off + step)
                };
                let row = if falls { 7 - row } else { row };
                lines[line].squares |= 1 << (8 * column + row);
                step += 1;
            }
            let lowest_row = if to_last != falls { 0 } else { off };
            lines[line].shift = 56 + lowest_row as u8;
            lines[line].first = first as u16;
            line += 1;
            kind += if off == 0 && kind == 1 { 3 } else { 1 };
        }
        first += states;
        states /= 3;
        length -= 1;
    }
    assert!(line == LINES && first == ROWS);
    lines
};

/// The lines that each square is on, as a set of their numbers.
static THROUGH: [u64; 64] = {
    let mut through = [0; 64];
    let mut line = 0;
    while line < LINES {
        let mut square = 0;
        while square < 64 {
            through[square] |= (LINE[line].squares >> square & 1) << line;
            square += 1;
        }
        line += 1;
    }
    through
};

/// A set of eight squares read in base three, the first square last.
static IN_THREES: [u16; 256] = {
    let mut table = [0; 256];
    let mut set = 1;
    while set < 256 {
        table[set] = 3 * table[set / 2] + (set % 2) as u16;
        set += 1;
    }
    table
};

impl Line {
    /// What a board of two sides has on the line: a row of the network, counted from that of the first line.
    #[inline(always)]
    fn row(&self, [own, other]: [u64; 2]) -> usize {
        let state = |set: u64| {
            let moved = ((set & self.squares) >> self.place).wrapping_mul(self.factor);
            usize::from(IN_THREES[(moved >> self.shift) as usize & 255])
        };
        usize::from(self.first) + state(own) + 2 * state(other)
    }
}

/// Calls `visit` with what a board has on each line.
#[inline(always)]
pub fn for_each_line(board: [u64; 2], mut visit: impl FnMut(usize)) {
    for line in &LINE {
        visit(line.row(board));
    }
}

/// The lines, as a set of their numbers, on which two boards differ.
#[inline(always)]
pub fn different(before: [u64; 2], after: [u64; 2]) -> u64 {
    let squares = (before[0] ^ after[0]) | (before[1] ^ after[1]);
    bits(squares).fold(0, |lines, square| lines | THROUGH[square])
}

/// Calls `visit` with what the one and what the other board has on each line of a set of numbers.
#[inline(always)]
pub fn for_each_of(
    lines: u64,
    before: [u64; 2],
    after: [u64; 2],
    mut visit: impl FnMut(usize, usize),
) {
    for line in bits(lines) {
        visit(LINE[line].row(before), LINE[line].row(after));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_its_length_and_is_read_whole() {
        let mut lengths = [0; 9];
        for line in &LINE {
            let length = line.squares.count_ones();
            lengths[length as usize] += 1;
            let full = usize::from(line.first) + 3_usize.pow(length) - 1;
            assert_eq!(line.row([0, line.squares]), full);
            assert_eq!(line.row([0, !line.squares]), usize::from(line.first));
            let mut states: Vec<_> = (0..64)
                .filter(|square| line.squares >> square & 1 == 1)
                .map(|square| line.row([1 << square, 0]) - usize::from(line.first))
                .collect();
            states.sort_unstable();
            let powers: Vec<_> = (0..length).map(|place| 3_usize.pow(place)).collect();
            assert_eq!(states, powers);
        }
        assert_eq!(lengths, [0, 0, 0, 4, 4, 4, 4, 4, 18]);
    }

    #[test]
    fn each_square_is_on_a_column_a_row_and_up_to_two_diagonals() {
        for (square, lines) in THROUGH.iter().enumerate() {
            let (column, row) = (square / 8, square % 8);
            let long = |diagonal: usize| (SHORTEST..=8).contains(&diagonal);
            let up = 8 - usize::abs_diff(column, row);
            let down = 8 - usize::abs_diff(7 - column, row);
            let expected = 2 + u32::from(long(up)) + u32::from(long(down));
            assert_eq!(lines.count_ones(), expected);
        }
    }
}
