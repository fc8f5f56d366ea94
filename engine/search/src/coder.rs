//! An adaptive binary arithmetic coder.
//!
//! It is the carryless range coder of Subbotin: each context has a probability of its own, learnt
//! from the bits seen in it.

/// How likely a bit of some kind is set.
///
/// The mean of two estimates, of which one follows fast and the other exactly.
#[derive(Debug, Clone, Copy)]
pub struct Chance([u16; 2]);

/// How fast the two follow what is seen.
const RATES: [u32; 2] = [4, 7];

impl Chance {
    /// The chance when nothing is known yet.
    pub const EVEN: Self = Self([1 << 15; 2]);

    /// The probability of a set bit in 1/65536, neither 0 nor 1.
    #[inline]
    fn set(self) -> u32 {
        (u32::from(self.0[0]) + u32::from(self.0[1])) >> 1
    }

    #[inline]
    fn learn(&mut self, bit: bool) {
        for (chance, rate) in self.0.iter_mut().zip(RATES) {
            if bit {
                *chance += (u16::MAX - *chance) >> rate;
            } else {
                *chance -= *chance >> rate;
            }
        }
    }
}

/// Takes bits, or gives them.
pub trait Coder {
    /// Writes `bit`, or reads a bit and ignores `bit`; gives the bit either way.
    fn code(&mut self, bit: bool, chance: &mut Chance) -> bool;
}

/// The range that is left, and where a bit splits it.
#[derive(Debug)]
struct Range {
    low: u32,
    high: u32,
}

impl Range {
    const ALL: Self = Self {
        low: 0,
        high: u32::MAX,
    };

    #[inline]
    fn middle(&self, chance: Chance) -> u32 {
        self.low + ((u64::from(self.high - self.low) * u64::from(chance.set())) >> 16) as u32
    }

    #[inline]
    fn narrow(&mut self, middle: u32, bit: bool) {
        if bit {
            self.high = middle;
        } else {
            self.low = middle + 1;
        }
    }

    /// The next byte that is certain, if one is.
    #[inline]
    fn next_byte(&mut self) -> Option<u8> {
        if (self.low ^ self.high) >> 24 != 0 {
            return None;
        }
        let byte = (self.high >> 24) as u8;
        (self.low, self.high) = (self.low << 8, self.high << 8 | 0xff);
        Some(byte)
    }
}

/// Writes bits.
#[derive(Debug)]
pub struct Encoder {
    range: Range,
    bytes: Vec<u8>,
}

impl Encoder {
    pub const fn new() -> Self {
        Self {
            range: Range::ALL,
            bytes: Vec::new(),
        }
    }

    /// What was written.
    pub fn finish(mut self) -> Vec<u8> {
        self.bytes.extend_from_slice(&self.range.high.to_be_bytes());
        self.bytes
    }
}

impl Coder for Encoder {
    #[inline]
    fn code(&mut self, bit: bool, chance: &mut Chance) -> bool {
        let middle = self.range.middle(*chance);
        self.range.narrow(middle, bit);
        chance.learn(bit);
        while let Some(byte) = self.range.next_byte() {
            self.bytes.push(byte);
        }
        bit
    }
}

/// Reads what an encoder wrote with the same chances; from other bytes it makes arbitrary bits.
#[derive(Debug)]
pub struct Decoder<'a> {
    range: Range,
    code: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut decoder = Self {
            range: Range::ALL,
            code: 0,
            bytes: bytes.iter(),
        };
        for _ in 0..4 {
            decoder.shift();
        }
        decoder
    }

    #[inline]
    fn shift(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.next().copied().unwrap_or(0));
    }
}

impl Coder for Decoder<'_> {
    #[inline]
    fn code(&mut self, _bit: bool, chance: &mut Chance) -> bool {
        let middle = self.range.middle(*chance);
        let bit = self.code <= middle;
        self.range.narrow(middle, bit);
        chance.learn(bit);
        while self.range.next_byte().is_some() {
            self.shift();
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_read_are_those_written_and_likely_ones_take_next_to_nothing() {
        let bits: Vec<bool> = (0..40_000_u32)
            .map(|index| index.wrapping_mul(0x9e37_79b9) >> 26 == 0)
            .collect();
        let (mut encoder, mut chance) = (Encoder::new(), Chance::EVEN);
        for &bit in &bits {
            encoder.code(bit, &mut chance);
        }
        let bytes = encoder.finish();
        assert!(bytes.len() < 800, "{} bytes", bytes.len());
        let (mut decoder, mut chance) = (Decoder::new(&bytes), Chance::EVEN);
        for &bit in &bits {
            assert_eq!(decoder.code(false, &mut chance), bit);
        }
    }
}
