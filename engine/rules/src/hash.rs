//! Hashes of positions that are a few words, computed on demand.
//!
//! Games whose moves change many squares at once would pay more for keeping a Zobrist
//! hash up to date than for mixing two or three words again.

/// The golden ratio in 64 bits: the step of SplitMix64.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
const OTHER: u64 = 0xd6e8_feb8_6659_fd93;

/// Folds a word into a hash: the two halves of a 128-bit product, as wyhash does.
#[inline]
pub const fn mix(hash: u64, word: u64) -> u64 {
    let product = (hash ^ STEP) as u128 * ((word ^ OTHER) as u128);
    scramble(product as u64 ^ (product >> 64) as u64 ^ word.rotate_left(32))
}

/// Spreads every bit over the whole word (the finisher of SplitMix64; Steele, Lea and Flood 2014).
#[inline]
pub const fn scramble(word: u64) -> u64 {
    let z = word.wrapping_add(STEP);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn nearby_words_do_not_collide() {
        let mut seen = HashSet::new();
        for first in 0..500 {
            for second in 0..500 {
                assert!(seen.insert(mix(mix(0, first), second << 40)));
            }
        }
    }
}
