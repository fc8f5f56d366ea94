//! The functions of the parent module with the four axes side by side in a register of 256 bits.

use ataxxd_processor::{Avx2, Four};

use super::{MIDDLE_COLUMNS, MIDDLE_ROWS, RAYS};
use crate::board8::Square;

/// Steps along the column, the row, and the two diagonals, as `RAYS` has them.
const STEPS: [u64; 4] = [1, 8, 9, 7];
const INNER: [u64; 4] = [MIDDLE_ROWS, MIDDLE_COLUMNS, MIDDLE_ROWS, MIDDLE_ROWS];

#[inline(always)]
pub fn targets(avx2: Avx2, own: u64, other: u64) -> u64 {
    let (step, twice) = steps(avx2);
    let through = avx2.same(other) & avx2.four(&INNER);
    let from = avx2.same(own);
    let mut up = through & from << step;
    let mut down = through & from >> step;
    up = up | through & up << step;
    down = down | through & down >> step;
    let pairs_up = through & through << step;
    let pairs_down = pairs_up >> step;
    up = up | pairs_up & up << twice;
    down = down | pairs_down & down >> twice;
    up = up | pairs_up & up << twice;
    down = down | pairs_down & down >> twice;
    (up << step | down >> step).any() & !(own | other)
}

#[inline(always)]
pub fn turned(avx2: Avx2, own: u64, other: u64, to: Square) -> u64 {
    let rays = &RAYS[to.index()];
    let (own, other) = (avx2.same(own), avx2.same(other));
    let (none, one) = (avx2.same(0), avx2.same(1));
    // Away from a1: the lowest square of the line without a piece of `other`.
    let ray = avx2.four(&rays.up);
    let stop = ray.without(other);
    let after = stop.without(stop.minus(one)) & own;
    // One less is the set of squares before it; where there is none, nothing is subtracted.
    let up = after.minus(one).minus(after.is(none)) & ray;
    // Towards a1: what lies behind such a square is not part of the run.
    let (step, twice) = steps(avx2);
    let ray = avx2.four(&rays.down);
    let mut behind = ray.without(other);
    behind = behind | behind >> step;
    behind = behind | behind >> twice;
    behind = behind | behind >> twice.plus(twice);
    let after = behind.without(behind >> step) & own & ray;
    let down = ray.without(behind).without(after.is(none));
    (up | down).any()
}

/// One step and two along each axis.
#[inline(always)]
fn steps(avx2: Avx2) -> (Four, Four) {
    let step = avx2.four(&STEPS);
    (step, step.plus(step))
}
