//! Random numbers from a seed, the same on every machine.

use crate::hash::{STEP, scramble};

/// SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The numbers of one of many independent streams of a seed.
    pub const fn stream(seed: u64, index: u64) -> Self {
        let start = scramble(seed) ^ index.wrapping_mul(0xd6e8_feb8_6659_fd93);
        Self(scramble(start))
    }

    /// The next number.
    pub const fn number(&mut self) -> u64 {
        let number = scramble(self.0);
        self.0 = self.0.wrapping_add(STEP);
        number
    }

    /// From 0 to `end - 1`; `end` must not be 0.
    pub const fn below(&mut self, end: u64) -> u64 {
        self.number() % end
    }

    /// Evenly from -1 to 1.
    pub fn symmetric(&mut self) -> f32 {
        (self.number() >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    /// A random one of some things; there must be at least one.
    pub fn choose<'a, T>(&mut self, things: &'a [T]) -> &'a T {
        &things[self.below(things.len() as u64) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_seed_are_those_of_the_reference_implementation() {
        // As java.util.SplittableRandom and rand's SplitMix64 have them.
        let mut random = Random::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(expected.map(|_| random.number()), expected);
    }

    #[test]
    fn streams_of_a_seed_are_apart() {
        let mut firsts: Vec<_> = (0..1000)
            .map(|index| Random::stream(1, index).number())
            .collect();
        firsts.sort_unstable();
        firsts.dedup();
        assert_eq!(firsts.len(), 1000);
    }
}
