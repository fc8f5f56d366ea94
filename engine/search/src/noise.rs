//! The randomness of a seed: noise on the scores of moves, and when replies are overlooked.

use ataxxd_rules::hash::mix;

use crate::limits::MAX_TEMPERATURE;
use crate::logarithm::ln;
use crate::score::{DECIDED, MOST_EVALUATED};
use crate::{Limits, Searchable};

/// Moves within so many centipieces count as equal where a seed alone chooses among them.
const SPREAD: u64 = 8;

/// The least and the most that chance adds to a move, in temperatures: a move that is worse than the best by
/// more than the difference is never played.
const RANGE: (f64, f64) = (-1.0, 3.0);

/// The most that chance may add to a move, in centipieces: with more, a good one would pass for won.
const MOST_ADDED: i32 = DECIDED - MOST_EVALUATED - 1;

/// Keeps these random numbers apart from those that are added to moves.
const OVERSIGHT: u64 = 0x6f76_6572_7369_6768;

/// A seed and how much it may decide.
#[derive(Debug, Clone, Copy)]
pub struct Noise {
    seed: u64,
    temperature: u32,
    oversight: u32,
}

impl Noise {
    pub fn new(limits: &Limits) -> Self {
        Self {
            seed: limits.seed,
            temperature: limits.temperature.min(MAX_TEMPERATURE),
            oversight: limits.oversight,
        }
    }

    /// Whether the opponent's answers are overlooked in a position, always the same for a seed; never for seed 0.
    pub fn overlooks(self, key: u64) -> bool {
        self.seed != 0 && mix(mix(key, OVERSIGHT), self.seed) % 100 < u64::from(self.oversight)
    }

    /// What is added to the score of a move, in centipieces, always the same; nothing for seed 0.
    ///
    /// At a temperature the best sum is a choice by chance, where each temperature that a move is
    /// worth less makes it less likely by a factor of e: the noise is Gumbel's (the Gumbel-max
    /// trick), within bounds.
    pub fn bonus<P: Searchable>(self, key: u64, mv: P::Move) -> i32 {
        if self.seed == 0 {
            return 0;
        }
        let chance = mix(mix(key, mv.into()), self.seed);
        if self.temperature == 0 {
            return (chance % (SPREAD + 1)) as i32;
        }
        const { assert!(RANGE.1 as i32 * MAX_TEMPERATURE as i32 * P::TUNING.margin_scale <= MOST_ADDED) };
        // Strictly between 0 and 1.
        let uniform = ((chance >> 12) as f64 + 0.5) / (1_u64 << 52) as f64;
        let noise = (-ln(-ln(uniform))).clamp(RANGE.0, RANGE.1);
        (noise * f64::from(self.temperature) * f64::from(P::TUNING.margin_scale)) as i32
    }
}
