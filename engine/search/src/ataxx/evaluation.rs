//! How good an Ataxx position is, by hand-made features.

use ataxxd_rules::ataxx::{Ataxx, BOARD, within_one, within_two};

use super::neighbours::NeighbourCounts;
use super::sides;

const CORNERS: u64 = 0x0041_0000_0000_0041;
const EDGES: u64 = 0x007f_4141_4141_417f;

/// Centipieces.
const PIECE: i32 = 100;
const CORNER: i32 = 30;
const EDGE: i32 = 15;
/// For each piece next to an empty square that the opponent can reach.
const EXPOSED: i32 = 20;
/// For each empty square that can be cloned to.
const ROOM: i32 = 8;
/// For having the move.
const TEMPO: i32 = 60;
/// Parts of a hundred of the best capture at once: one's own, and what the opponent threatens.
const OWN_CAPTURE: i32 = 50;
const THREAT: i32 = 25;

/// Centipieces for the side to move.
#[inline]
pub fn evaluate(position: &Ataxx) -> i32 {
    let (own, other) = sides(position);
    let empty = position.empty();
    let count = |set: u64| set.count_ones() as i32;
    let difference =
        |of: fn(u64, u64, u64) -> u64| count(of(own, other, empty)) - count(of(other, own, empty));
    PIECE * (count(own) - count(other))
        + CORNER * (count(own & CORNERS) - count(other & CORNERS))
        + EDGE * (count(own & EDGES) - count(other & EDGES))
        - EXPOSED * difference(|a, b, empty| a & within_one(empty & within_two(b)))
        + ROOM * difference(|a, _, empty| within_one(a) & empty)
        + OWN_CAPTURE * best_gain(own, other, empty) / 100
        - THREAT * best_gain(other, own, empty) / 100
        + TEMPO
}

/// What the best single move of `own` wins at once, in centipieces.
#[inline]
fn best_gain(own: u64, other: u64, empty: u64) -> i32 {
    let counts = NeighbourCounts::of(other);
    let near = within_one(own);
    let clones = near & empty;
    let jumps = within_one(near) & empty;
    let clone = if clones == 0 {
        0
    } else {
        100 + 200 * counts.max_in(clones) as i32
    };
    clone.max(200 * counts.max_in(jumps) as i32)
}

const _: () = assert!(EDGES & !BOARD == 0 && CORNERS & !EDGES == 0);
