//! Patterns of the board that the network sees: edges, corners, rows and diagonals.
//!
//! After Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for
//! Othello" (1997). A pattern is a set of squares; what stands on them, seen by the side to
//! move, is a number in base three (empty 0, own 1, other 2), the first square last. Each pattern
//! occurs on the board as often as the symmetries of the board allow.

use std::sync::LazyLock;

use ataxxd_rules::board8::ROW_1;

use crate::ternary;

/// How many patterns a position has, all occurrences counted.
pub const OCCURRENCES: usize = 46;

/// The squares of each pattern: an edge with the two squares diagonally next to its corners, a
/// corner of three by three, the second to fourth row, diagonals of eight to four squares, the
/// triangle of four squares' sides in a corner, and an edge's corners and middle with the middle of
/// the row beside it.
const LENGTHS: [u32; 12] = [10, 9, 8, 8, 8, 8, 7, 6, 5, 4, 10, 10];

/// Where the configurations of each pattern begin in a table of them all.
const STARTS: [usize; 12] = {
    let mut starts = [0; 12];
    let mut pattern = 1;
    while pattern < 12 {
        starts[pattern] = starts[pattern - 1] + 3_usize.pow(LENGTHS[pattern - 1]);
        pattern += 1;
    }
    starts
};

/// Configurations of all patterns.
pub const CONFIGURATIONS: usize = STARTS[11] + 3_usize.pow(LENGTHS[11]);

const EDGE: usize = STARTS[0];
const CORNER: usize = STARTS[1];
const TRIANGLE: usize = STARTS[10];
const BLOCK: usize = STARTS[11];

static TERNARY: [u16; 1024] = ternary::table();

#[inline(always)]
fn ternary(own: u64, other: u64) -> usize {
    usize::from(TERNARY[(own & 1023) as usize]) + 2 * usize::from(TERNARY[(other & 1023) as usize])
}

/// A row (0 to 7) as the low eight bits.
#[inline(always)]
const fn row(set: u64, row: u32) -> u64 {
    (set >> row & ROW_1).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[inline(always)]
const fn column(set: u64, column: u32) -> u64 {
    set >> (8 * column) & 0xff
}

/// The diagonals of four squares and more: their squares, and their lowest row.
static DIAGONALS: [[(u64, u32); 4]; 5] = {
    let mut table = [[(0, 0); 4]; 5];
    let mut shorter = 0;
    while shorter < 5 {
        let mut at = 0;
        while at < 4 {
            // Occurrences: rising below and above the middle, falling likewise.
            let offset = if at & 1 == 0 { shorter } else { -shorter };
            let (mut set, mut lowest) = (0_u64, 8);
            let mut square = 0;
            while square < 64 {
                let (column, row) = (square / 8, square % 8);
                let distance = if at < 2 {
                    column - row
                } else {
                    column + row - 7
                };
                if distance == offset {
                    set |= 1 << square;
                    if row < lowest {
                        lowest = row;
                    }
                }
                square += 1;
            }
            table[shorter as usize][at] = (set, lowest as u32);
            at += 1;
        }
        shorter += 1_i32;
    }
    table
};

#[inline(always)]
const fn diagonal(set: u64, (squares, lowest): (u64, u32)) -> u64 {
    (set & squares).wrapping_mul(ROW_1) >> (56 + lowest)
}

/// The corner at a1 of three by three squares, as the low nine bits.
#[inline(always)]
const fn corner(set: u64) -> u64 {
    set & 0x7 | set >> 5 & 0x38 | set >> 10 & 0x1c0
}

/// The triangle at a1: four squares, three, two and one, as the low ten bits.
#[inline(always)]
const fn triangle(set: u64) -> u64 {
    set & 0xf | set >> 4 & 0x70 | set >> 9 & 0x180 | set >> 15 & 0x200
}

/// Two lines side by side, the outer one first: its corners and its four squares in the middle, and
/// those of the inner one, as the low ten bits.
#[inline(always)]
const fn block(outer: u64, inner: u64) -> u64 {
    outer & 1 | outer >> 1 & 0x1e | outer >> 2 & 0x20 | (inner & 0x3c) << 4
}

/// A set mirrored so that rows 1 and 8 change places.
#[inline(always)]
const fn mirrored(set: u64) -> u64 {
    set.reverse_bits().swap_bytes()
}

/// Calls `visit` with the configuration of each of the `OCCURRENCES` patterns.
#[inline(always)]
pub fn for_each(own: u64, other: u64, mut visit: impl FnMut(usize)) {
    // An edge and the squares b2 and g2, or their like.
    let bits = |set: u64, first: u32, last: u32| (set >> first & 1) << 8 | (set >> last & 1) << 9;
    let mut edge = |line: fn(u64, u32) -> u64, at: u32, first: u32, last: u32| {
        let with_next = |set| line(set, at) | bits(set, first, last);
        visit(EDGE + ternary(with_next(own), with_next(other)));
    };
    edge(column, 0, 9, 14);
    edge(column, 7, 49, 54);
    edge(row, 0, 9, 49);
    edge(row, 7, 14, 54);
    let (own_mirrored, other_mirrored) = (mirrored(own), mirrored(other));
    for (own, other) in [(own, other), (own_mirrored, other_mirrored)] {
        for (own, other) in [(own, other), (own.swap_bytes(), other.swap_bytes())] {
            visit(CORNER + ternary(corner(own), corner(other)));
            visit(TRIANGLE + ternary(triangle(own), triangle(other)));
        }
    }
    for (outer, inner) in [(0, 1), (7, 6)] {
        let columns = |set| block(column(set, outer), column(set, inner));
        let rows = |set| block(row(set, outer), row(set, inner));
        visit(BLOCK + ternary(columns(own), columns(other)));
        visit(BLOCK + ternary(rows(own), rows(other)));
    }
    for inner in 1..4 {
        let start = STARTS[1 + inner as usize];
        for at in [inner, 7 - inner] {
            visit(start + ternary(column(own, at), column(other, at)));
            visit(start + ternary(row(own, at), row(other, at)));
        }
    }
    for (shorter, diagonals) in DIAGONALS.iter().enumerate() {
        for (at, &squares) in diagonals.iter().enumerate() {
            if shorter > 0 || at % 2 == 0 {
                let index = ternary(diagonal(own, squares), diagonal(other, squares));
                visit(STARTS[5 + shorter] + index);
            }
        }
    }
}

/// Which configurations share a row of the network: those that are the same by symmetry of their pattern. A
/// line reads the same from both ends, and a corner along both edges.
pub struct Places {
    /// The row of each configuration.
    pub of: Vec<u32>,
    /// How many rows there are.
    pub count: usize,
}

/// The places of all configurations.
pub static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let mut places = Places {
        of: Vec::with_capacity(CONFIGURATIONS),
        count: 0,
    };
    for (pattern, &length) in LENGTHS.iter().enumerate() {
        // Where each square goes when the pattern is turned round.
        let turned_place = |place: u32| match pattern {
            0 => [7, 6, 5, 4, 3, 2, 1, 0, 9, 8][place as usize],
            1 => [0, 3, 6, 1, 4, 7, 2, 5, 8][place as usize],
            10 => [0, 4, 7, 9, 1, 5, 8, 2, 6, 3][place as usize],
            11 => [5, 4, 3, 2, 1, 0, 9, 8, 7, 6][place as usize],
            _ => length - 1 - place,
        };
        let mut turned = vec![0];
        for place in 0..length {
            for digit in 1..3 {
                let more = digit * 3_usize.pow(turned_place(place));
                for index in 0..3_usize.pow(place) {
                    turned.push(turned[index] + more);
                }
            }
        }
        let start = places.of.len();
        for (index, turned) in turned.into_iter().enumerate() {
            if turned < index {
                places.of.push(places.of[start + turned]);
            } else {
                places.of.push(places.count as u32);
                places.count += 1;
            }
        }
    }
    places
});

#[cfg(test)]
mod tests {
    use ataxxd_rules::random::Random;

    use super::*;

    /// The board seen in a mirror along the diagonal from a1 to h8.
    fn transposed(set: u64) -> u64 {
        (0..64).fold(0, |sum, square| {
            sum | (set >> square & 1) << (square % 8 * 8 + square / 8)
        })
    }

    fn sorted(own: u64, other: u64) -> Vec<u32> {
        let mut list = Vec::new();
        for_each(own, other, |index| list.push(PLACES.of[index]));
        list.sort_unstable();
        list
    }

    #[test]
    fn the_patterns_are_the_same_on_a_board_seen_from_any_side() {
        let mut random = Random::new(5);
        for _ in 0..500 {
            let occupied = random.number() | random.number();
            let colour = random.number();
            let (own, other) = (occupied & colour, occupied & !colour);
            let expected = sorted(own, other);
            assert_eq!(expected.len(), OCCURRENCES);
            for symmetry in [transposed, mirrored, u64::swap_bytes] {
                assert_eq!(sorted(symmetry(own), symmetry(other)), expected);
            }
        }
    }
}
