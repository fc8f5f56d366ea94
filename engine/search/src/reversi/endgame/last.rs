//! The last four empty squares, each number of them in a routine of its own.
//!
//! All of them answer a null-window question: is the score above `alpha`? What they return
//! bounds the score on the side that they answer (fail-soft). Scores are differences of pieces
//! for the side to move, with the squares that stay empty counted for the winner.

use ataxxd_processor::widest;
use ataxxd_rules::board8::{ROW_1, Square, squares};
use ataxxd_rules::reversi::turned;

/// Worse than any score.
const NONE: i32 = -65;

/// Pieces turned in a line of eight by a piece on a square of it, where every other square
/// that `own` does not hold belongs to the opponent: by square, then by the own pieces.
static TURNED_IN_LINE: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut at = 0;
    while at < 8 {
        let mut own = 0;
        while own < 256 {
            let mut turned = 0;
            let mut next = at + 1;
            while next < 8 && own >> next & 1 == 0 {
                next += 1;
            }
            if next < 8 {
                turned += next - at - 1;
            }
            let mut next = at;
            while next > 0 && own >> (next - 1) & 1 == 0 {
                next -= 1;
            }
            if next > 0 {
                turned += at - next;
            }
            table[at][own] = turned as u8;
            own += 1;
        }
        at += 1;
    }
    table
};

/// The two diagonals through each square.
static DIAGONALS: [[u64; 2]; 64] = {
    let mut table = [[0; 2]; 64];
    let mut from = 0;
    while from < 64 {
        let mut to = 0;
        while to < 64 {
            let (columns, rows) = (from / 8 - to / 8, from % 8 - to % 8);
            if columns == rows {
                table[from as usize][0] |= 1 << to;
            }
            if columns == -rows {
                table[from as usize][1] |= 1 << to;
            }
            to += 1;
        }
        from += 1_i32;
    }
    table
};

/// How many pieces a piece of `own` on the only empty square turns.
#[inline(always)]
fn count_turned(own: u64, to: Square) -> i32 {
    let (column, row) = (usize::from(to.column()), usize::from(to.row()));
    let [rising, falling] = DIAGONALS[to.index()];
    // Each product gathers one bit of every column in the top byte.
    let along_row = (own >> row & ROW_1).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    let along_rising = (own & rising).wrapping_mul(ROW_1) >> 56;
    let along_falling = (own & falling).wrapping_mul(ROW_1) >> 56;
    let along_column = own >> (8 * column) & 0xff;
    let in_line = &TURNED_IN_LINE[row];
    i32::from(in_line[along_column as usize])
        + i32::from(TURNED_IN_LINE[column][along_row as usize])
        + i32::from(in_line[along_rising as usize])
        + i32::from(in_line[along_falling as usize])
}

/// The score when neither side can move.
#[inline(always)]
pub fn final_score(own: u64, other: u64) -> i32 {
    let (own, other) = (own.count_ones() as i32, other.count_ones() as i32);
    match own.cmp(&other) {
        std::cmp::Ordering::Greater => 64 - 2 * other,
        std::cmp::Ordering::Less => 2 * own - 64,
        std::cmp::Ordering::Equal => 0,
    }
}

/// The score with one empty square.
#[inline(always)]
fn one(own: u64, to: Square) -> i32 {
    let pieces = own.count_ones() as i32;
    let turned = count_turned(own, to);
    if turned > 0 {
        return 2 * (pieces + turned) - 62;
    }
    let turned = count_turned(!(own | to.bit()), to);
    if turned > 0 {
        2 * (pieces - turned) - 64
    } else {
        // The winner has the square; an odd number of pieces is never level.
        2 * pieces - if pieces > 31 { 62 } else { 64 }
    }
}

/// Whether a piece on a square may turn anything: a neighbour belongs to `other`.
#[inline(always)]
fn is_near(other: u64, to: Square) -> bool {
    NEIGHBOURS[to.index()] & other != 0
}

static NEIGHBOURS: [u64; 64] = {
    let mut table = [0; 64];
    let mut index = 0;
    while index < 64 {
        let bit = 1 << index;
        table[index] = ataxxd_rules::board8::within_one(bit) & !bit;
        index += 1;
    }
    table
};

/// The best of two ways to fill two empty squares, or `NONE` when neither is legal.
#[inline(always)]
fn fill_two(own: u64, other: u64, alpha: i32, first: Square, second: Square) -> i32 {
    let mut best = NONE;
    for (to, left) in [(first, second), (second, first)] {
        if !is_near(other, to) {
            continue;
        }
        let turned = turned(own, other, to);
        if turned != 0 {
            best = best.max(-one(other & !turned, left));
            if best > alpha {
                break;
            }
        }
    }
    best
}

#[inline(always)]
fn two(own: u64, other: u64, alpha: i32, first: Square, second: Square) -> i32 {
    let best = fill_two(own, other, alpha, first, second);
    if best != NONE {
        return best;
    }
    match fill_two(other, own, -alpha - 1, first, second) {
        NONE => final_score(own, other),
        best => -best,
    }
}

/// The best of the ways to begin with three empty squares, or `NONE`.
#[inline(always)]
fn fill_three(own: u64, other: u64, alpha: i32, empty: [Square; 3]) -> i32 {
    let mut best = NONE;
    let [a, b, c] = empty;
    for (to, left) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
        if !is_near(other, to) {
            continue;
        }
        let turned = turned(own, other, to);
        if turned != 0 {
            let (next, us) = (other & !turned, own | turned | to.bit());
            best = best.max(-two(next, us, -alpha - 1, left[0], left[1]));
            if best > alpha {
                break;
            }
        }
    }
    best
}

#[inline(always)]
fn three(own: u64, other: u64, alpha: i32, empty: [Square; 3]) -> i32 {
    widest(
        #[inline(always)]
        || {
            let best = fill_three(own, other, alpha, empty);
            if best != NONE {
                return best;
            }
            match fill_three(other, own, -alpha - 1, empty) {
                NONE => final_score(own, other),
                best => -best,
            }
        },
    )
}

/// The best of the ways to begin with four empty squares, or `NONE`.
#[inline(always)]
fn fill_four(own: u64, other: u64, alpha: i32, empty: [Square; 4], odd: u64) -> i32 {
    let mut best = NONE;
    let [a, b, c, d] = empty;
    for (to, left) in [
        (a, [b, c, d]),
        (b, [a, c, d]),
        (c, [a, b, d]),
        (d, [a, b, c]),
    ] {
        if !is_near(other, to) {
            continue;
        }
        let turned = turned(own, other, to);
        if turned != 0 {
            let (next, us) = (other & !turned, own | turned | to.bit());
            let left = odd_first(left, odd ^ quadrant(to));
            best = best.max(-three(next, us, -alpha - 1, left));
            if best > alpha {
                break;
            }
        }
    }
    best
}

/// Of three squares at most one is alone in its quadrant when the others share one.
#[inline(always)]
fn odd_first([a, b, c]: [Square; 3], odd: u64) -> [Square; 3] {
    if odd & a.bit() != 0 {
        [a, b, c]
    } else if odd & b.bit() != 0 {
        [b, a, c]
    } else {
        [c, a, b]
    }
}

/// Answers for a position with one to four empty squares; `odd` is the set of the squares of
/// all quadrants with an odd number of them.
#[inline(always)]
pub fn few(own: u64, other: u64, alpha: i32, odd: u64) -> i32 {
    let empty = !(own | other);
    let mut ordered = squares(empty & odd).chain(squares(empty & !odd));
    let mut next = || ordered.next();
    let Some(a) = next() else {
        return final_score(own, other);
    };
    let Some(b) = next() else {
        return one(own, a);
    };
    let Some(c) = next() else {
        return two(own, other, alpha, a, b);
    };
    let Some(d) = next() else {
        return three(own, other, alpha, [a, b, c]);
    };
    let best = fill_four(own, other, alpha, [a, b, c, d], odd);
    if best != NONE {
        return best;
    }
    match fill_four(other, own, -alpha - 1, [a, b, c, d], odd) {
        NONE => final_score(own, other),
        best => -best,
    }
}

/// The quarter of the board in which a square lies.
#[inline(always)]
pub fn quadrant(square: Square) -> u64 {
    const CORNER: u64 = 0x0f0f_0f0f;
    CORNER << (square.index() & 0b10_0100)
}

/// The squares of all quadrants with an odd number of squares of a set.
pub fn odd_quadrants(set: u64) -> u64 {
    squares(set).fold(0, |odd, square| odd ^ quadrant(square))
}
