//! How good an Ataxx position is, by weighted features.
//!
//! The weights were fitted by the example `tune` to the results of the engine's own games.

use ataxxd_rules::ataxx::{Ataxx, BOARD, within_one};

use super::neighbours::NeighbourCounts;
use super::sides;

/// Number of features.
pub const FEATURES: usize = 10;

const CORNERS: u64 = 0x0041_0000_0000_0041;
const EDGES: u64 = 0x007f_4141_4141_417f & !CORNERS;
const CENTRE: u64 = 0x0000_001c_1c1c_0000;
const RING: u64 = BOARD & !(CORNERS | EDGES | CENTRE);

/// Centipieces a unit of each feature, on an empty and on a full board.
const WEIGHTS: [[i32; FEATURES]; 2] = [
    [3, -4, 11, 108, 0, -4, 24, 0, -4, 84],
    [135, 132, 189, 243, -84, 33, -30, 39, -3, 74],
];

/// What the evaluation looks at, for the side to move.
///
/// Pieces in the centre, around it, on edges and in corners; pieces that the opponent
/// can take at once; empty squares to clone to; those of them that the opponent cannot
/// reach: each own minus the opponent's. Then what the best move wins at once, what the
/// opponent's would, both in pieces; and the turn.
#[inline]
pub fn features(position: &Ataxx) -> [i32; FEATURES] {
    let (own, other) = sides(position);
    let empty = position.empty();
    let (own_near, other_near) = (within_one(own), within_one(other));
    let (own_far, other_far) = (within_one(own_near), within_one(other_near));
    let (own_room, other_room) = (own_near & empty, other_near & empty);
    let lead = |own: u64, other: u64| own.count_ones() as i32 - other.count_ones() as i32;
    [
        lead(own & CENTRE, other & CENTRE),
        lead(own & RING, other & RING),
        lead(own & EDGES, other & EDGES),
        lead(own & CORNERS, other & CORNERS),
        lead(
            own & within_one(empty & other_far),
            other & within_one(empty & own_far),
        ),
        lead(own_room, other_room),
        lead(own_room & !other_far, other_room & !own_far),
        best_gain(other, own_room, own_far & empty),
        best_gain(own, other_room, other_far & empty),
        1,
    ]
}

/// Squares of the board that are empty, of 49: how much of the game is ahead.
#[inline]
pub fn phase(position: &Ataxx) -> i32 {
    position.empty().count_ones() as i32
}

/// Centipieces for the side to move.
#[inline]
pub fn evaluate(position: &Ataxx) -> i32 {
    let features = features(position);
    let phase = phase(position);
    let sum = |weights: &[i32; FEATURES]| -> i32 {
        weights
            .iter()
            .zip(features)
            .map(|(weight, feature)| weight * feature)
            .sum()
    };
    (sum(&WEIGHTS[0]) * phase + sum(&WEIGHTS[1]) * (49 - phase)) / 49
}

/// What the best single move wins at once, in pieces.
#[inline]
fn best_gain(victims: u64, clones: u64, targets: u64) -> i32 {
    let counts = NeighbourCounts::of(victims);
    let clone = if clones == 0 {
        0
    } else {
        1 + 2 * counts.max_in(clones) as i32
    };
    clone.max(2 * counts.max_in(targets) as i32)
}
