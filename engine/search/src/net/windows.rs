//! Windows of two by two squares, as networks see boards of eight bits a line.

use crate::bits::bits;

/// Per set of squares of a line, the same with two bits a square, the lower of which is used.
static SPREAD: [u16; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let mut place = 0;
        while place < 8 {
            table[set] |= ((set >> place & 1) << (2 * place)) as u16;
            place += 1;
        }
        set += 1;
    }
    table
};

/// What four squares hold, with two bits for each, by four bits of a set and four of another.
pub const fn interleaved(bits: usize) -> usize {
    (SPREAD[bits & 15] | SPREAD[bits >> 4 & 15] << 1) as usize
}

/// Calls `visit` with each window whose squares two boards hold differently: its number, and what the first and what the
/// second has there: four bits of its first set and four of its second, which are `interleaved` for `for_each_window`.
///
/// Returns `false` without a call where more than `most` windows are different.
#[inline(always)]
pub fn for_each_change(
    before: [u64; 2],
    after: [u64; 2],
    across: usize,
    most: u32,
    mut visit: impl FnMut(usize, usize, usize),
) -> bool {
    let squares = (before[0] ^ after[0]) | (before[1] ^ after[1]);
    let line = (1 << across) - 1;
    let all = (0..across).fold(0_u64, |all, number| all | line << (8 * number));
    let windows = (squares | squares >> 1 | squares >> 8 | squares >> 9) & all;
    if windows.count_ones() > most {
        return false;
    }
    for first in bits(windows) {
        let four = |set: u64| {
            let lines = set >> first & 0x303;
            (lines | lines >> 6) as usize & 15
        };
        let held = |[low, high]: [u64; 2]| four(low) | four(high) << 4;
        let window = first - (first / 8) * (8 - across);
        visit(window, held(before), held(after));
    }
    true
}

/// Calls `visit` with the number of each window of a square board, and with what its four squares
/// hold: two bits for each, of which `low` and `high` are the sets of those that are 1.
///
/// There are `across` windows along each side, one less than squares.
#[inline(always)]
pub fn for_each_window(low: u64, high: u64, across: usize, mut visit: impl FnMut(usize, usize)) {
    let line = |number: usize| {
        let bits = |set: u64| usize::from(SPREAD[(set >> (8 * number) & 255) as usize]);
        bits(low) | bits(high) << 1
    };
    let mut lower = line(0);
    for number in 0..across {
        let upper = line(number + 1);
        for place in 0..across {
            let bits = lower >> (2 * place) & 15 | (upper >> (2 * place) & 15) << 4;
            visit(number * across + place, bits);
        }
        lower = upper;
    }
}
