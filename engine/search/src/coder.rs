//! An adaptive binary arithmetic coder.
//!
//! It is the carryless range coder of Subbotin: each context has a probability of its own, learnt
//! from the bits seen in it. [`pack`] uses it for lists of small numbers, most of which are zero.

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

/// Packs numbers.
pub fn pack(numbers: &[i8]) -> Vec<u8> {
    let mut encoder = Encoder::new();
    let mut chances = [Chance::EVEN; 256];
    for &number in numbers {
        code_number(&mut encoder, number, &mut chances);
    }
    encoder.finish()
}

/// Unpacks so many numbers; bytes that `pack` did not make give arbitrary numbers.
pub fn unpack(packed: &[u8], count: usize) -> Vec<i8> {
    let mut decoder = Decoder::new(packed);
    let mut chances = [Chance::EVEN; 256];
    (0..count)
        .map(|_| code_number(&mut decoder, 0, &mut chances))
        .collect()
}

/// Writes `number`, or reads one and ignores `number`: first whether it is zero, which ends it,
/// and then its eight bits, the highest first. The bits before one are its context.
fn code_number(coder: &mut impl Coder, number: i8, chances: &mut [Chance; 256]) -> i8 {
    if coder.code(number == 0, &mut chances[0]) {
        return 0;
    }
    let mut seen = 1;
    for shift in (0..8).rev() {
        let bit = number as u8 >> shift & 1 != 0;
        seen = seen << 1 | usize::from(coder.code(bit, &mut chances[seen]));
    }
    seen as u8 as i8
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::random::Random;

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

    #[test]
    fn what_is_unpacked_is_what_was_packed_and_zeros_take_next_to_nothing() {
        let mut random = Random::new(3);
        let numbers: Vec<i8> = (0..50_000)
            .map(|index| {
                let number = random.number();
                match index % 5_000 {
                    0..500 => number as i8,
                    500..900 => (number % 8) as i8 - 4,
                    _ => 0,
                }
            })
            .collect();
        let packed = pack(&numbers);
        assert_eq!(unpack(&packed, numbers.len()), numbers);
        assert!(packed.len() < 9_500, "{} bytes", packed.len());
        for cut in [0, 1, 100, packed.len() - 1] {
            assert_eq!(unpack(&packed[..cut], 1_000).len(), 1_000);
        }
    }
}
