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
}

#[cfg(test)]
mod tests {
    use super::*;
    use ataxxd_rules::ataxx::{squares, within_one};

    #[test]
    fn the_planes_count_as_one_square_at_a_time_does() {
        let mut set = 0x0123_4567_89ab_cdef_u64;
        for _ in 0..1000 {
            set ^= set << 13;
            set ^= set >> 7;
            set ^= set << 17;
            let pieces = set & BOARD;
            let counts = NeighbourCounts::of(pieces);
            for square in squares(BOARD) {
                let ring = within_one(square.bit()) & !square.bit();
                assert_eq!(
                    counts.max_in(square.bit()),
                    (ring & pieces).count_ones(),
                    "{square} in {pieces:x}"
                );
            }
        }
    }
}
