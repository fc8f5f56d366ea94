//! Counts the neighbours of all squares at once, in bit-sliced numbers.

use ataxxd_rules::ataxx::BOARD;

/// For every square, how many of its up to eight neighbours are in a set.
///
/// The count of square `s` is spread over bit `s` of four planes, lowest first.
#[derive(Debug, Clone, Copy)]
pub struct NeighbourCounts([u64; 4]);

impl NeighbourCounts {
    /// Counts by carry-save adders: three columns per row, then three rows.
    #[inline]
    pub const fn of(set: u64) -> Self {
        let (left, right) = (set << 1, set >> 1);
        // The spare column keeps rows apart; what lands in it is masked out at the end.
        let (pair0, pair1) = (left ^ right, left & right);
        let (row0, row1) = (pair0 ^ set, pair1 | (pair0 & set));
        let (up0, up1) = (row0 << 8, row1 << 8);
        let (down0, down1) = (row0 >> 8, row1 >> 8);
        let ones = up0 ^ down0 ^ pair0;
        let carry = (up0 & down0) | ((up0 ^ down0) & pair0);
        let (p, q) = (up1 ^ down1, up1 & down1);
        let (r, s) = (pair1 ^ carry, pair1 & carry);
        let c = p & r;
        Self([
            ones & BOARD,
            (p ^ r) & BOARD,
            (q ^ s ^ c) & BOARD,
            ((q & s) | (q & c) | (s & c)) & BOARD,
        ])
    }

    /// The largest count among some squares; 0 when there are none.
    #[inline]
    pub const fn max_in(&self, squares: u64) -> u32 {
        let (mut left, mut max) = (squares, 0);
        let mut plane = 4;
        while plane > 0 {
            plane -= 1;
            let with = left & self.0[plane];
            if with != 0 {
                left = with;
                max |= 1 << plane;
            }
        }
        max
    }

    /// The squares whose count is `least` or more.
    #[inline]
    pub const fn at_least(&self, least: u32) -> u64 {
        if least > 8 {
            return 0;
        }
        // Adding 15 - least + 1 carries out of the fourth plane just where it is reached.
        let addend = 16 - least;
        let mut carry = 0;
        let mut plane = 0;
        while plane < 4 {
            let set = self.0[plane];
            carry = if addend >> plane & 1 == 1 {
                set | carry
            } else {
                set & carry
            };
            plane += 1;
        }
        if least == 0 { BOARD } else { carry & BOARD }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ataxxd_rules::ataxx::{squares, within_one};
    use ataxxd_rules::random::Random;

    #[test]
    fn the_planes_count_as_one_square_at_a_time_does() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let pieces = random.number() & BOARD;
            let counts = NeighbourCounts::of(pieces);
            for square in squares(BOARD) {
                let ring = within_one(square.bit()) & !square.bit();
                for least in 0..=9 {
                    assert_eq!(
                        counts.at_least(least) & square.bit() != 0,
                        (ring & pieces).count_ones() >= least
                    );
                }
                assert_eq!(
                    counts.max_in(square.bit()),
                    (ring & pieces).count_ones(),
                    "{square} in {pieces:x}"
                );
            }
        }
    }
}
