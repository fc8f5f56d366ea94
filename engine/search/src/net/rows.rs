//! Rows of small numbers in few bytes; many rows are all zero.
//!
//! Of each row it is coded how many bits its numbers take, and then these. The coder is rANS (asymmetric numeral systems,
//! Duda 2013) with a table of frequencies for each number of bits: unpacking takes a few nanoseconds a number, where an
//! adaptive coder takes that for each of its bits.

/// Frequencies add up to two to this power.
const SCALE: u32 = 12;

/// The coder's state is at least this; what is above 32 bits is written in words of 16.
const LOWEST: u32 = 1 << 16;

/// The symbols of each table: how many bits the numbers of a row take, and numbers of so many bits.
const SYMBOLS: [usize; 9] = [9, 2, 4, 8, 16, 32, 64, 128, 256];

/// How many bits a number takes with its sign; zero takes none.
const fn bits(number: i8) -> usize {
    if number == 0 {
        0
    } else {
        9 - (number ^ number >> 7).leading_zeros() as usize
    }
}

/// The number of so many bits that is the symbol `symbol`.
#[inline(always)]
const fn signed(symbol: u8, bits: usize) -> i8 {
    (symbol as i8) << (8 - bits) >> (8 - bits)
}

/// Packs rows of `width` numbers.
pub fn pack(numbers: &[i8], width: usize) -> Vec<u8> {
    let mut symbols = Vec::new();
    for row in numbers.chunks_exact(width) {
        let most = row.iter().map(|&number| bits(number)).max().unwrap_or(0);
        symbols.push((0, most));
        if most > 0 {
            let mask = SYMBOLS[most] - 1;
            symbols.extend(row.iter().map(|&number| (most, number as usize & mask)));
        }
    }
    let mut counts = SYMBOLS.map(|count| vec![0; count]);
    for &(table, symbol) in &symbols {
        counts[table][symbol] += 1;
    }
    let frequencies = counts.map(|counts| scaled(&counts));
    let mut bytes: Vec<u8> = frequencies
        .iter()
        .flatten()
        .flat_map(|&frequency| (frequency as u16).to_le_bytes())
        .collect();
    // The last symbol first: it is read in the opposite direction.
    let (mut state, mut words) = (LOWEST, Vec::new());
    for &(table, symbol) in symbols.iter().rev() {
        let frequency = frequencies[table][symbol];
        let before: u32 = frequencies[table][..symbol].iter().sum();
        if u64::from(state) >= u64::from(frequency) << (32 - SCALE) {
            words.push(state as u16);
            state >>= 16;
        }
        state = (state / frequency) << SCALE | (state % frequency + before);
    }
    words.extend([state as u16, (state >> 16) as u16]);
    bytes.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
    bytes
}

/// Frequencies of symbols that were counted: those that occur have at least 1.
fn scaled(counts: &[u64]) -> Vec<u32> {
    let total: u64 = counts.iter().sum();
    let mut frequencies: Vec<u32> = counts
        .iter()
        .map(|&count| match count {
            0 => 0,
            _ => ((count << SCALE) / total).max(1) as u32,
        })
        .collect();
    let mut sum: u32 = frequencies.iter().sum();
    while total > 0 && sum != 1 << SCALE {
        let largest = frequencies.iter_mut().max().expect("there are symbols");
        if sum < 1 << SCALE {
            *largest += (1 << SCALE) - sum;
            sum = 1 << SCALE;
        } else {
            *largest -= 1;
            sum -= 1;
        }
    }
    frequencies
}

/// What the low bits of the state say.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    symbol: u8,
    frequency: u16,
    /// How many slots of the same symbol are before it.
    offset: u16,
}

/// Reads symbols.
struct Reader<'a> {
    tables: Vec<[Slot; 1 << SCALE]>,
    state: u32,
    words: std::slice::ChunksExact<'a, u8>,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut words = bytes.chunks_exact(2);
        let mut tables = vec![[Slot::default(); 1 << SCALE]; SYMBOLS.len()];
        for (table, symbols) in tables.iter_mut().zip(SYMBOLS) {
            let mut slots = table.iter_mut();
            for symbol in 0..symbols {
                let frequency = word(&mut words);
                for (offset, slot) in slots.by_ref().take(frequency.into()).enumerate() {
                    *slot = Slot {
                        symbol: symbol as u8,
                        frequency,
                        offset: offset as u16,
                    };
                }
            }
        }
        let state = u32::from(word(&mut words)) << 16 | u32::from(word(&mut words));
        Self {
            tables,
            state,
            words,
        }
    }

    #[inline(always)]
    fn symbol(&mut self, table: usize) -> u8 {
        let slot = self.tables[table][(self.state & ((1 << SCALE) - 1)) as usize];
        let rest = u32::from(slot.frequency).wrapping_mul(self.state >> SCALE);
        self.state = rest.wrapping_add(slot.offset.into());
        if self.state < LOWEST {
            self.state = self.state << 16 | u32::from(word(&mut self.words));
        }
        slot.symbol
    }
}

/// The next word, or 0 after the last.
#[inline(always)]
fn word(words: &mut std::slice::ChunksExact<'_, u8>) -> u16 {
    words
        .next()
        .map_or(0, |bytes| u16::from_le_bytes([bytes[0], bytes[1]]))
}

/// Unpacks so many rows of `width` numbers; bytes that `pack` did not make give arbitrary numbers.
pub fn unpack(packed: &[u8], count: usize, width: usize) -> Vec<i8> {
    let mut reader = Reader::new(packed);
    let mut numbers = vec![0; count * width];
    for row in numbers.chunks_exact_mut(width) {
        let bits = usize::from(reader.symbol(0));
        if bits > 0 {
            row.fill_with(|| signed(reader.symbol(bits), bits));
        }
    }
    numbers
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::random::Random;

    use super::*;

    #[test]
    fn what_is_unpacked_is_what_was_packed_and_rows_of_zeros_take_next_to_nothing() {
        let mut random = Random::new(3);
        let rows = (0..5_000).flat_map(|row| {
            let number = |random: &mut Random| match row % 50 {
                0..5 => random.number() as i8,
                5..9 => (random.number() % 8) as i8 - 4,
                9 => -1,
                _ => 0,
            };
            (0..10).map(|_| number(&mut random)).collect::<Vec<_>>()
        });
        let numbers: Vec<i8> = rows.collect();
        let packed = pack(&numbers, 10);
        assert_eq!(unpack(&packed, 5_000, 10), numbers);
        assert!(packed.len() < 9_000, "{} bytes", packed.len());
        for cut in [0, 1, 100, 1_100, packed.len() - 1] {
            assert_eq!(unpack(&packed[..cut], 100, 10).len(), 1_000);
        }
    }

    #[test]
    fn rows_of_every_kind_alone_come_back() {
        for numbers in [vec![], vec![0; 8], vec![-1; 8], (-128..=127).collect()] {
            assert_eq!(unpack(&pack(&numbers, 8), numbers.len() / 8, 8), numbers);
        }
    }
}
