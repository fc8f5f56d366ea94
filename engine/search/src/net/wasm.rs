//! The hidden layer of a network in WebAssembly, with explicit wide instructions: the compiler of a page
//! does not find them, or less often.

use std::arch::wasm32::*;
use std::mem::MaybeUninit;

use super::{Features, MOST_ROWS, MOVED, Network, ONE, View, chunk};

/// Pairs of weights that are summed at once: with more, sums are kept in memory.
pub const MOST_LANES: usize = 16;

/// Rows that are added in a turn of the loop.
const AT_ONCE: usize = 4;

impl Network {
    /// The correction, from `2 * PAIRS` hidden numbers, `2 * N` at a time.
    #[inline(always)]
    pub(super) fn sum<P: Features, const PAIRS: usize, const N: usize>(&self, view: &View) -> i32 {
        const { assert!(N == MOST_LANES) };
        let (mut rows, mut count) = ([const { MaybeUninit::uninit() }; MOST_ROWS], 0);
        P::for_each_row(view, |row| {
            rows[count].write(chunk::<u16, PAIRS>(&self.rows[row * PAIRS..]));
            count += 1;
        });
        // SAFETY: the first `count` have been written.
        #[expect(
            unsafe_code,
            reason = "to fill all of it takes as long as to find the rows"
        )]
        let rows: &[&[u16; PAIRS]] =
            unsafe { std::slice::from_raw_parts(rows.as_ptr().cast(), count) };
        let output = &self.outputs[P::stage(view)];
        let moved = u16x8_splat(MOVED * count as u16);
        let mut total = i32x4_splat(0);
        for place in (0..PAIRS).step_by(MOST_LANES) {
            let [both, upper] = sums(rows, place);
            for eighth in 0..2 {
                let lower = u16x8_sub(both[eighth], u16x8_shl(upper[eighth], 8));
                for (half, sum) in [lower, upper[eighth]].into_iter().enumerate() {
                    let first = 2 * place + half * MOST_LANES + eighth * 8;
                    let sum = i16x8_add(u16x8_sub(sum, moved), signed(&self.bias[first..]));
                    let hidden = i16x8_min(i16x8_max(sum, i16x8_splat(0)), i16x8_splat(ONE as i16));
                    let weighed = i16x8_mul(hidden, signed(&output.weights[first..]));
                    total = i32x4_add(total, i32x4_dot_i16x8(hidden, weighed));
                }
            }
        }
        let total = i32x4_extract_lane::<0>(total)
            + i32x4_extract_lane::<1>(total)
            + i32x4_extract_lane::<2>(total)
            + i32x4_extract_lane::<3>(total);
        output.centipieces::<P>(total)
    }
}

/// Sums over some rows of the pairs that begin at `place` in each row, and of their upper bytes.
#[inline(always)]
fn sums<const PAIRS: usize>(rows: &[&[u16; PAIRS]], place: usize) -> [[v128; 2]; 2] {
    let mut sums = [[u16x8_splat(0); 2]; 2];
    let groups = rows.chunks_exact(AT_ONCE);
    let rest = groups.remainder();
    for group in groups {
        for row in group {
            add(&mut sums, chunk(&row[place..]));
        }
    }
    for row in rest {
        add(&mut sums, chunk(&row[place..]));
    }
    sums
}

#[inline(always)]
fn add([both, upper]: &mut [[v128; 2]; 2], pairs: &[u16; MOST_LANES]) {
    for eighth in 0..2 {
        let p = chunk::<u16, 8>(&pairs[8 * eighth..]);
        let pairs = u16x8(p[0], p[1], p[2], p[3], p[4], p[5], p[6], p[7]);
        both[eighth] = u16x8_add(both[eighth], pairs);
        upper[eighth] = u16x8_add(upper[eighth], u16x8_shr(pairs, 8));
    }
}

/// The first eight numbers.
#[inline(always)]
fn signed(numbers: &[i16]) -> v128 {
    let n = chunk::<i16, 8>(numbers);
    i16x8(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7])
}
