//! Legal moves and flipped discs, computed on whole bitboards.

#[cfg(target_arch = "x86_64")]
mod wide;

#[cfg(target_arch = "x86_64")]
use ataxxd_processor::Avx2;

use crate::board8::Square;

/// All but the first and the last row: a line may not run through those of another column.
const MIDDLE_ROWS: u64 = 0x7e7e_7e7e_7e7e_7e7e;
/// All but the first and the last column.
const MIDDLE_COLUMNS: u64 = 0x00ff_ffff_ffff_ff00;

/// The empty squares on which `own` can put a piece.
#[inline(always)]
pub fn targets(own: u64, other: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Avx2::here() {
        return avx2.compute(
            #[inline(always)]
            || wide::targets(avx2, own, other),
        );
    }
    targets_by_direction(own, other)
}

#[inline(always)]
const fn targets_by_direction(own: u64, other: u64) -> u64 {
    let inner = other & MIDDLE_ROWS;
    (brackets::<1>(own, inner)
        | brackets::<7>(own, inner)
        | brackets::<9>(own, inner)
        | brackets::<8>(own, other & MIDDLE_COLUMNS))
        & !(own | other)
}

/// Squares at either end of a run of `through`, in steps of `STEP`, that starts next to `own`.
///
/// Runs of up to six are grown by doubling (parallel prefix).
#[inline(always)]
const fn brackets<const STEP: u32>(own: u64, through: u64) -> u64 {
    let mut up = through & own << STEP;
    let mut down = through & own >> STEP;
    up |= through & up << STEP;
    down |= through & down >> STEP;
    let pairs_up = through & through << STEP;
    let pairs_down = through & through >> STEP;
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    up |= pairs_up & up << (2 * STEP);
    down |= pairs_down & down >> (2 * STEP);
    up << STEP | down >> STEP
}

/// The pieces of `other` that a piece of `own` put on a square turns.
#[inline(always)]
pub fn turned(own: u64, other: u64, to: Square) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if let Some(avx2) = Avx2::here() {
        return avx2.compute(
            #[inline(always)]
            || wide::turned(avx2, own, other, to),
        );
    }
    turned_by_direction(own, other, to)
}

#[inline(always)]
fn turned_by_direction(own: u64, other: u64, to: Square) -> u64 {
    let rays = &RAYS[to.index()];
    let mut turned = 0;
    for axis in 0..4 {
        // Away from a1: adding 1 below the line carries through the run to the square after it.
        let ray = rays.up[axis];
        let after = ((other | !ray).wrapping_add(1)) & ray & own;
        turned |= after.wrapping_sub((after != 0) as u64) & ray;
        // Towards a1: the highest square of the line without a piece of `other`.
        let ray = rays.down[axis];
        let stop = ray & !other;
        let after = (TOP >> (stop | 1).leading_zeros()) & stop & own;
        turned |= (after << 1).wrapping_neg() & ray;
    }
    turned
}

const TOP: u64 = 1 << 63;

/// The squares in each direction from a square, by axis: along the column, the row, and the
/// two diagonals.
struct Rays {
    up: [u64; 4],
    down: [u64; 4],
}

static RAYS: [Rays; 64] = {
    const NONE: Rays = Rays {
        up: [0; 4],
        down: [0; 4],
    };
    let mut table = [NONE; 64];
    let steps: [(i8, i8); 4] = [(0, 1), (1, 0), (1, 1), (1, -1)];
    let mut from = 0;
    while from < 64 {
        let mut axis = 0;
        while axis < 4 {
            let (columns, rows) = steps[axis];
            table[from].up[axis] = ray(from as u8, columns, rows);
            table[from].down[axis] = ray(from as u8, -columns, -rows);
            axis += 1;
        }
        from += 1;
    }
    table
};

const fn ray(from: u8, columns: i8, rows: i8) -> u64 {
    let (mut column, mut row) = ((from >> 3) as i8 + columns, (from & 7) as i8 + rows);
    let mut set = 0;
    while column >= 0 && column < 8 && row >= 0 && row < 8 {
        set |= 1 << (8 * column + row);
        column += columns;
        row += rows;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board8::squares;

    /// The rule as the laboratory states it, one step at a time.
    fn turned_slowly(own: u64, other: u64, to: Square) -> u64 {
        let mut turned = 0;
        for (columns, rows) in [
            (0, 1),
            (0, -1),
            (1, 0),
            (-1, 0),
            (1, 1),
            (-1, -1),
            (1, -1),
            (-1, 1),
        ] {
            let (mut column, mut row, mut run) = (to.column() as i8, to.row() as i8, 0);
            loop {
                (column, row) = (column + columns, row + rows);
                if !(0..8).contains(&column) || !(0..8).contains(&row) {
                    break;
                }
                let bit = 1_u64 << (8 * column + row);
                if other & bit != 0 {
                    run |= bit;
                } else {
                    turned |= if own & bit != 0 { run } else { 0 };
                    break;
                }
            }
        }
        turned
    }

    #[test]
    fn whole_boards_agree_with_single_steps() {
        let mut state = 1_u64;
        let mut next = || {
            state = crate::hash::scramble(state);
            state
        };
        for round in 0..2_000 {
            let occupied = if round % 2 == 0 {
                next()
            } else {
                next() | next()
            };
            let own = occupied & next();
            let other = occupied & !own;
            let mut expected = 0;
            for to in squares(!occupied) {
                let slowly = turned_slowly(own, other, to);
                assert_eq!(turned(own, other, to), slowly);
                assert_eq!(turned_by_direction(own, other, to), slowly);
                expected |= if slowly != 0 { to.bit() } else { 0 };
            }
            assert_eq!(targets(own, other), expected);
            assert_eq!(targets_by_direction(own, other), expected);
        }
    }
}
