//! What a position of reversi is worth: a sum of weights of its patterns and of mobility.
//!
//! The weights were fitted to the engine's own games by `ataxxd-train`; each phase of the game
//! has its own. They predict the difference of pieces at the end.

use std::sync::OnceLock;

use ataxxd_rules::board8::within_one;
use ataxxd_rules::reversi::targets;

use super::patterns::{PLACES, for_each};
use crate::coder::{pack, unpack};

/// Phases of the game, by the squares that are not empty.
pub const PHASES: usize = 10;

/// Pieces put in the course of a phase.
pub const PHASE_PLIES: u32 = 6;

/// Counts that are weighed beside the patterns.
pub const COUNTS: usize = 5;

/// Steps of a pattern's weight in a piece.
pub const STEPS: i32 = 8;

/// Steps of a count's weight in a piece.
pub const COUNT_STEPS: i32 = 32;

/// Centipieces of the search for a piece at the end; chosen by matches.
const CENTIPIECES: i32 = 100;

/// The weights as `ataxxd-train` packed them.
static PACKED: &[u8] = include_bytes!("weights.bin");

/// The evaluation that the search uses.
static FITTED: OnceLock<Evaluation> = OnceLock::new();

/// The weights of all phases, each unpacked when it is first needed: that takes milliseconds.
pub struct Evaluation {
    packed: Vec<Vec<u8>>,
    phases: [OnceLock<Weights>; PHASES],
}

struct Weights {
    /// By configuration, in steps.
    patterns: Vec<i16>,
    counts: [i32; COUNTS],
}

/// The phase of a position with so many pieces.
#[inline]
pub const fn phase(pieces: u32) -> usize {
    let phase = (pieces.saturating_sub(4) / PHASE_PLIES) as usize;
    if phase < PHASES { phase } else { PHASES - 1 }
}

/// What is counted: squares to move to, empty squares beside the opponent's pieces, where moves
/// may come up, pieces, each as a difference of the sides; the turn; and whether the number of
/// empty squares is odd.
#[inline(always)]
pub fn counts(own: u64, other: u64) -> [i32; COUNTS] {
    let count = |set: u64| set.count_ones() as i32;
    let empty = !(own | other);
    [
        count(targets(own, other)) - count(targets(other, own)),
        count(within_one(other) & empty) - count(within_one(own) & empty),
        count(own) - count(other),
        1,
        count(empty) & 1,
    ]
}

/// The value for the side to move, in centipieces.
#[inline(always)]
pub fn evaluate(own: u64, other: u64) -> i32 {
    fitted().value(own, other)
}

#[inline]
fn fitted() -> &'static Evaluation {
    FITTED.get_or_init(|| Evaluation::unpacked(PACKED))
}

/// Takes packed weights in place of the shipped ones; `false` when some are already in use: one
/// process has one evaluation.
pub fn replace(packed: &[u8]) -> bool {
    FITTED.set(Evaluation::unpacked(packed)).is_ok()
}

/// Unpacks the weights of all phases.
pub fn prepare() {
    fitted().unpack();
}

/// Packs the weights of all phases, in steps: the counts of each, then the patterns by place.
pub fn write(phases: &[Vec<i8>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for weights in phases {
        let packed = pack(weights);
        bytes.extend_from_slice(&(packed.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&packed);
    }
    bytes
}

impl Evaluation {
    /// The evaluation that `write` wrote; no bytes at all give one that values every position at 0.
    pub fn unpacked(mut bytes: &[u8]) -> Self {
        let mut packed = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk() {
            let length = (u32::from_le_bytes(*length) as usize).min(rest.len());
            let (phase, rest) = rest.split_at(length);
            packed.push(phase.to_vec());
            bytes = rest;
        }
        Self {
            packed,
            phases: [const { OnceLock::new() }; PHASES],
        }
    }

    /// The weights of a phase in steps, as [`write()`] takes them.
    pub fn steps(&self, phase: usize) -> Vec<i8> {
        let size = COUNTS + PLACES.count;
        match self.packed.get(phase) {
            Some(packed) => unpack(packed, size),
            None => vec![0; size],
        }
    }

    /// Unpacks every phase that is still packed.
    fn unpack(&self) {
        for phase in 0..PHASES {
            self.phase(phase);
        }
    }

    fn phase(&self, phase: usize) -> &Weights {
        self.phases[phase].get_or_init(|| {
            let numbers = self.steps(phase);
            let (counts, weights) = numbers.split_at(COUNTS);
            let weight = |&place: &u32| weights[place as usize].into();
            Weights {
                patterns: PLACES.of.iter().map(weight).collect(),
                counts: std::array::from_fn(|index| counts[index].into()),
            }
        })
    }

    /// The value for the side to move, in centipieces.
    #[inline(always)]
    pub fn value(&self, own: u64, other: u64) -> i32 {
        let weights = self.phase(phase((own | other).count_ones()));
        let mut steps = 0;
        for_each(own, other, |index| {
            steps += i32::from(weights.patterns[index])
        });
        let counts = counts(own, other);
        let counted: i32 = counts.iter().zip(&weights.counts).map(|(a, b)| a * b).sum();
        let limit = 64 * CENTIPIECES;
        let value = CENTIPIECES * (steps * (COUNT_STEPS / STEPS) + counted) / COUNT_STEPS;
        value.clamp(-limit, limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_packed_weights_are_those_of_this_program_and_small() {
        assert!(PACKED.len() < 400_000, "{} bytes", PACKED.len());
        let fitted = Evaluation::unpacked(PACKED);
        assert_eq!(fitted.packed.len(), PHASES);
        fitted.unpack();
        assert!(fitted.phases.iter().all(|phase| phase.get().is_some()));
        for phase in 0..PHASES {
            let weights = &fitted.phase(phase).patterns;
            assert!(weights.iter().any(|&weight| weight != 0));
        }
        // Whose the corner is matters in the middle of any game.
        let (own, other) = (0x0000_0018_1c00_0000, 0x0000_2424_0038_0000);
        assert!(fitted.value(own | 1, other) > fitted.value(own, other | 1));
    }

    #[test]
    fn a_position_and_its_mirror_image_are_worth_the_same() {
        let (own, other) = (0x0000_0018_1c00_0001, 0x0000_2424_0038_0000);
        let mirrored = (u64::swap_bytes(own), u64::swap_bytes(other));
        assert_eq!(evaluate(own, other), evaluate(mirrored.0, mirrored.1));
    }
}
