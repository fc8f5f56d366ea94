//! Zobrist keys.

use super::Square;
use crate::hash::{STEP, scramble};

/// The side to move; every turn toggles it.
pub const SIDE: u64 = splitmix(0);

static PIECES: [[u64; 64]; 2] = [numbers(0x100), numbers(0x200)];
static BLOCKS: [u64; 64] = numbers(0x300);
static CLOCKS: [u64; 128] = {
    let (low, high) = (numbers(0x400), numbers(0x500));
    let mut table = [0; 128];
    let mut clock = 1; // a clock at zero adds nothing
    while clock < 128 {
        table[clock] = if clock < 64 {
            low[clock]
        } else {
            high[clock - 64]
        };
        clock += 1;
    }
    table
};
static TURNED: [u64; 64] = {
    let mut table = PIECES[0];
    let mut square = 0;
    while square < 64 {
        table[square] ^= PIECES[1][square];
        square += 1;
    }
    table
};

/// A piece of a side (0 or 1) on a square.
#[inline]
pub fn piece(side: usize, square: Square) -> u64 {
    PIECES[side & 1][square.index()]
}

/// The difference made by a piece that changes sides.
#[inline]
pub fn turned(square: Square) -> u64 {
    TURNED[square.index()]
}

/// A block on a square.
pub fn block(square: Square) -> u64 {
    BLOCKS[square.index()]
}

/// The clock that ends the game.
#[inline]
pub fn clock(clock: u8) -> u64 {
    CLOCKS[usize::from(clock & 127)]
}

/// The ruleset, by number.
pub const fn rules(number: u8) -> u64 {
    splitmix(0x600 + number as u64)
}

const fn numbers(seed: u64) -> [u64; 64] {
    let mut table = [0; 64];
    let mut index = 0;
    while index < 64 {
        table[index] = splitmix(seed + index as u64);
        index += 1;
    }
    table
}

/// The `index`-th number of seed 0.
const fn splitmix(index: u64) -> u64 {
    scramble(index.wrapping_mul(STEP))
}
