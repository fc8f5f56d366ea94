//! Stable discs: some of those that can never be flipped again.
//!
//! A piece cannot be turned along a line that has no empty square left, nor along one at whose
//! end it stands, nor along one where it leans on an own piece that cannot be turned at all. A
//! piece to which one of these applies in all four lines is stable.

use ataxxd_rules::board8::ROW_1;

const ROWS_1_AND_8: u64 = 0x8181_8181_8181_8181;
const COLUMNS_A_AND_H: u64 = 0xff00_0000_0000_00ff;
const BORDER: u64 = ROWS_1_AND_8 | COLUMNS_A_AND_H;
const NOT_ROW_1: u64 = !ROW_1;
const NOT_ROW_8: u64 = !(ROW_1 << 7);

/// Squares on whose diagonal (in steps of `step`) nothing is empty, and those at its ends.
#[inline(always)]
const fn full_diagonals(occupied: u64, step: u32) -> u64 {
    // Emptiness spreads along the inner squares of a diagonal, of which there are six.
    let mut full = occupied;
    let mut round = 0;
    while round < 6 {
        full &= full >> step & full << step | BORDER;
        round += 1;
    }
    full
}

/// A set of pieces of `own` that the opponent can never turn.
#[inline(always)]
pub fn stable(own: u64, other: u64) -> u64 {
    let occupied = own | other;
    let mut columns = occupied & occupied >> 4;
    columns &= columns >> 2;
    columns &= columns >> 1;
    let columns = (columns & ROW_1) * 0xff;
    let mut rows = occupied & occupied.rotate_right(8);
    rows &= rows.rotate_right(16);
    rows &= rows.rotate_right(32);
    let along_column = columns | ROWS_1_AND_8;
    let along_row = rows | COLUMNS_A_AND_H;
    let along_rising = full_diagonals(occupied, 9);
    let along_falling = full_diagonals(occupied, 7);
    let mut stable = own & along_column & along_row & along_rising & along_falling;
    loop {
        let leaning_column = stable << 1 & NOT_ROW_1 | stable >> 1 & NOT_ROW_8;
        let leaning_row = stable << 8 | stable >> 8;
        let leaning_rising = stable << 9 & NOT_ROW_1 | stable >> 9 & NOT_ROW_8;
        let leaning_falling = stable << 7 & NOT_ROW_8 | stable >> 7 & NOT_ROW_1;
        let grown = own
            & (along_column | leaning_column)
            & (along_row | leaning_row)
            & (along_rising | leaning_rising)
            & (along_falling | leaning_falling);
        if grown == stable {
            return stable;
        }
        stable = grown;
    }
}
