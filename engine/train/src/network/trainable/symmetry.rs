//! The symmetries of square boards.

/// A set of squares turned and mirrored: bit 0 of the symmetry mirrors within lines, bit 1 the order
/// of lines, and bit 2 then swaps lines with places in them. A line is a byte; `side` of them, and of
/// its bits, are used.
pub fn turned(mut set: u64, side: u32, symmetry: u64) -> u64 {
    if symmetry & 1 != 0 {
        set = set.reverse_bits().swap_bytes() >> (8 - side);
    }
    if symmetry & 2 != 0 {
        set = set.swap_bytes() >> (8 * (8 - side));
    }
    if symmetry & 4 != 0 {
        // Swaps across the diagonal by blocks of four, of two and of one (Hacker's Delight, 7-3).
        for (shift, mask) in [
            (28, 0x0000_0000_f0f0_f0f0_u64),
            (14, 0x0000_cccc_0000_cccc),
            (7, 0x00aa_00aa_00aa_00aa),
        ] {
            let swapped = (set ^ (set >> shift)) & mask;
            set ^= swapped ^ (swapped << shift);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_symmetries_of_a_board_are_eight_and_move_each_square_where_they_should() {
        for side in [7, 8] {
            for symmetry in 0..8 {
                for (line, place) in (0..side).flat_map(|l| (0..side).map(move |p| (l, p))) {
                    let (mut to_line, mut to_place) = (line, place);
                    if symmetry & 1 != 0 {
                        to_place = side - 1 - to_place;
                    }
                    if symmetry & 2 != 0 {
                        to_line = side - 1 - to_line;
                    }
                    if symmetry & 4 != 0 {
                        (to_line, to_place) = (to_place, to_line);
                    }
                    assert_eq!(
                        turned(1 << (8 * line + place), side, symmetry),
                        1 << (8 * to_line + to_place)
                    );
                }
            }
        }
    }
}
