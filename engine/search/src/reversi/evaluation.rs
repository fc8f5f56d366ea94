//! What a position of reversi is worth: its patterns and how many moves there are, judged by the network.
//!
//! It predicts the difference of pieces at the end.

use ataxxd_rules::reversi::{Reversi, targets};

use super::patterns::{PLACES, for_each};
use crate::net::{Features, Network, View, Weights};

/// What a piece at the end is worth, in centipieces of the search; chosen by matches.
pub const PIECE: i32 = 100;

/// No position is worth more than the best end of a game.
const LIMIT: i32 = 64 * PIECE;

/// Configurations that are not the same by symmetry of their pattern: `PLACES.count`.
const PATTERN_ROWS: usize = 114_363;

/// Numbers of moves from this one on share a row.
const MOST_MOVES: u32 = 31;

/// A board without pieces is seen as one with a piece.
const MOST_EMPTY: u32 = 63;

/// Pieces that are put in the course of a stage.
const STAGE_PLIES: u32 = 4;

static WEIGHTS: Weights = Weights::shipped(include_bytes!("weights.bin"));

impl Features for Reversi {
    fn weights() -> &'static Weights {
        &WEIGHTS
    }

    const ROWS: usize = PATTERN_ROWS + 2 * (MOST_MOVES as usize + 1) + MOST_EMPTY as usize + 1;
    const HIDDEN: usize = 32;
    const STAGES: usize = 15;
    const PACKED: bool = true;

    #[inline]
    fn view(&self) -> View {
        let (own, other) = self.own_and_other();
        [own, other, 0]
    }

    #[inline(always)]
    fn for_each_row(&[own, other, _]: &View, mut visit: impl FnMut(usize)) {
        let places = &PLACES.of[..];
        for_each(own, other, |index| visit(places[index] as usize));
        let counts = [
            (targets(own, other), MOST_MOVES),
            (targets(other, own), MOST_MOVES),
            (!(own | other), MOST_EMPTY),
        ];
        let mut first = PATTERN_ROWS;
        for (squares, most) in counts {
            visit(first + squares.count_ones().min(most) as usize);
            first += most as usize + 1;
        }
    }

    #[inline]
    fn stage(&[own, other, _]: &View) -> usize {
        let put = (own | other).count_ones().saturating_sub(4);
        (put / STAGE_PLIES).min(Self::STAGES as u32 - 1) as usize
    }
}

/// The value for the side to move, in centipieces.
#[inline(always)]
pub fn evaluate(own: u64, other: u64) -> i32 {
    value(WEIGHTS.network::<Reversi>(), own, other)
}

/// The same by some network.
#[inline(always)]
pub fn value(network: &Network, own: u64, other: u64) -> i32 {
    let value = network.correction::<Reversi>(&[own, other, 0]);
    value.clamp(-LIMIT, LIMIT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_network_is_small_and_knows_what_a_corner_is_worth() {
        assert_eq!(PATTERN_ROWS, PLACES.count);
        let size = include_bytes!("weights.bin").len();
        assert!(size < 1_500_000, "{size} bytes");
        let (own, other) = (0x0000_0018_1c00_0000, 0x0000_2424_0038_0000);
        assert!(evaluate(own | 1, other) > evaluate(own, other | 1));
    }

    #[test]
    fn a_position_and_its_mirror_image_are_worth_the_same() {
        let (own, other) = (0x0000_0018_1c00_0001, 0x0000_2424_0038_0000);
        let mirrored = (u64::swap_bytes(own), u64::swap_bytes(other));
        assert_eq!(evaluate(own, other), evaluate(mirrored.0, mirrored.1));
    }
}
