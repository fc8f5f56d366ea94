//! Packs small numbers, most of which are zero, into few bytes, and unpacks them again.
//!
//! An adaptive binary arithmetic coder (the carryless range coder of Subbotin): each bit of a
//! number has a probability of its own, learnt from the numbers before it.

/// The probability of a set bit is at first one half, in 1/65536.
const EVEN: u16 = 1 << 15;

/// How fast probabilities follow what is seen.
const RATE: u32 = 5;

/// Bits seen so far of one kind of number, by the bits before them in the same number.
struct Model([u16; 256]);

impl Model {
    const fn new() -> Self {
        Self([EVEN; 256])
    }

    fn learn(&mut self, context: usize, bit: bool) {
        let chance = &mut self.0[context];
        if bit {
            *chance += (u16::MAX - *chance) >> RATE;
        } else {
            *chance -= *chance >> RATE;
        }
    }
}

/// What is told of a number after what was told of it before: first whether it is zero, which
/// ends it, and then its eight bits, the highest first. A context of 256 or more is a whole number.
const fn after(context: usize, bit: bool) -> usize {
    match (context, bit) {
        (0, true) => 256,
        (0, false) => 1,
        _ => context << 1 | bit as usize,
    }
}

const fn bit_of(number: i8, context: usize) -> bool {
    if context == 0 {
        number == 0
    } else {
        number as u8 >> context.leading_zeros().wrapping_sub(usize::BITS - 8) & 1 != 0
    }
}

/// The middle of a range of numbers: below it a bit is set.
fn split(low: u32, high: u32, chance: u16) -> u32 {
    low + ((u64::from(high - low) * u64::from(chance)) >> 16) as u32
}

/// Packs numbers.
pub fn pack(numbers: &[i8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut model = Model::new();
    let (mut low, mut high) = (0_u32, u32::MAX);
    for &number in numbers {
        let mut context = 0;
        while context < 256 {
            let bit = bit_of(number, context);
            let middle = split(low, high, model.0[context]);
            if bit {
                high = middle;
            } else {
                low = middle + 1;
            }
            model.learn(context, bit);
            context = after(context, bit);
            while (low ^ high) >> 24 == 0 {
                packed.push((high >> 24) as u8);
                (low, high) = (low << 8, high << 8 | 0xff);
            }
        }
    }
    packed.extend_from_slice(&high.to_be_bytes());
    packed
}

/// Unpacks so many numbers; of bytes that `pack` did not make, it makes some numbers or other.
pub fn unpack(packed: &[u8], count: usize) -> Vec<i8> {
    let mut bytes = packed.iter().copied().chain(std::iter::repeat(0));
    let mut next = move || u32::from(bytes.next().unwrap_or(0));
    let mut model = Model::new();
    let (mut low, mut high) = (0_u32, u32::MAX);
    let mut code = (0..4).fold(0, |code, _| code << 8 | next());
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let mut context = 0;
        while context < 256 {
            let middle = split(low, high, model.0[context]);
            let bit = code <= middle;
            if bit {
                high = middle;
            } else {
                low = middle + 1;
            }
            model.learn(context, bit);
            context = after(context, bit);
            while (low ^ high) >> 24 == 0 {
                (low, high) = (low << 8, high << 8 | 0xff);
                code = code << 8 | next();
            }
        }
        numbers.push(context as u8 as i8);
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_unpacked_is_what_was_packed_and_zeros_take_next_to_nothing() {
        let mut state = 3_u32;
        let numbers: Vec<i8> = (0..50_000)
            .map(|index| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                match index % 5_000 {
                    0..500 => (state >> 24) as i8,
                    500..900 => (state >> 29) as i8 - 4,
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
