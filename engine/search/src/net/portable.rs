//! The hidden layer of a network, as plain loops that compilers vectorize.

use super::{Features, MOST_ROWS, MOVED, Network, ONE, View, chunk};

/// Pairs of weights that are summed at once: 16 registers of 256 bits hold their sums and those of their
/// upper bytes, and have some to spare.
pub const MOST_LANES: usize = 64;

impl Network {
    /// The correction, from `2 * PAIRS` hidden numbers, `2 * N` at a time.
    #[inline(always)]
    pub(super) fn sum<P: Features, const PAIRS: usize, const N: usize>(&self, view: &View) -> i32 {
        // The rows are found first, so that the sums stay in registers.
        let (mut rows, mut count) = ([0; MOST_ROWS], 0);
        P::for_each_row(view, |row| {
            rows[count] = row * PAIRS;
            count += 1;
        });
        let output = &self.outputs[P::stage(view)];
        let mut total = 0;
        for block in 0..PAIRS / N {
            let halves = self.halves::<N>(&rows[..count], block * N);
            for (half, sums) in halves.iter().enumerate() {
                let place = (2 * block + half) * N;
                let bias = chunk::<i16, N>(&self.bias[place..]);
                let sums = std::array::from_fn(|lane| sums[lane].wrapping_add(bias[lane]));
                total += weighed::<N>(&sums, &output.weights[place..]);
            }
        }
        output.centipieces::<P>(total)
    }

    /// Sums over some rows of the weights in `N` pairs, which begin at `place` in each row: of the
    /// lower bytes, and of the upper ones.
    #[inline(always)]
    pub(super) fn halves<const N: usize>(&self, rows: &[usize], place: usize) -> [[i16; N]; 2] {
        let (mut both, mut upper) = ([0_u16; N], [0_u16; N]);
        for row in rows {
            let pairs = chunk::<u16, N>(&self.rows[row + place..]);
            for ((both, upper), pair) in both.iter_mut().zip(&mut upper).zip(pairs) {
                *both = both.wrapping_add(*pair);
                *upper += pair >> 8;
            }
        }
        let moved = MOVED * rows.len() as u16;
        let lower = |lane: usize| both[lane].wrapping_sub(upper[lane] << 8);
        [
            std::array::from_fn(|lane| lower(lane).wrapping_sub(moved) as i16),
            std::array::from_fn(|lane| upper[lane].wrapping_sub(moved) as i16),
        ]
    }
}

/// The part that some hidden numbers have in the output.
#[inline(always)]
pub(super) fn weighed<const N: usize>(sums: &[i16; N], weights: &[i16]) -> i32 {
    // Products of 16 bits and their pairwise sums are what processors multiply fastest.
    sums.iter()
        .zip(chunk::<i16, N>(weights))
        .map(|(&sum, &weight)| {
            let hidden = sum.clamp(0, ONE as i16);
            i32::from(hidden) * i32::from(hidden.wrapping_mul(weight))
        })
        .sum()
}
