//! The file of a network: its weights in bytes, packed.

use super::{HIDDEN, Network, Output};
use crate::coder::{pack, unpack};

/// Each number of 16 bits as its high and its low byte.
fn halves(numbers: &[i16]) -> impl Iterator<Item = i8> {
    let high = numbers.iter().map(|number| (number >> 8) as i8);
    high.chain(numbers.iter().map(|&number| number as i8))
}

/// The numbers that `halves` took apart.
fn joined(bytes: &[i8]) -> [i16; HIDDEN] {
    std::array::from_fn(|index| {
        i16::from(bytes[index]) << 8 | i16::from(bytes[HIDDEN + index] as u8)
    })
}

fn unpacked_or_zero(packed: &[u8], count: usize) -> Vec<i8> {
    if packed.is_empty() {
        vec![0; count]
    } else {
        unpack(packed, count)
    }
}

impl Network {
    /// Packs the weights; `packed` and `unpacked` are each other's inverse.
    pub fn packed(&self) -> Vec<u8> {
        let mut numbers: Vec<i8> = halves(&self.bias).collect();
        for output in &self.outputs {
            numbers.extend(halves(&output.weights));
            numbers.extend(halves(&[output.bias]));
        }
        // Neuron by neuron: the signs of neighbouring rows have more in common than those of a row.
        for neuron in 0..HIDDEN {
            numbers.extend(self.rows.iter().map(|row| row[neuron] as i8));
        }
        pack(&numbers)
    }

    /// Unpacks the weights of a game with so many rows and stages; no bytes are weights of zero.
    pub fn unpacked(packed: &[u8], rows: usize, stages: usize) -> Self {
        let numbers = unpacked_or_zero(
            packed,
            2 * HIDDEN + stages * 2 * (HIDDEN + 1) + rows * HIDDEN,
        );
        let (bias, numbers) = numbers.split_at(2 * HIDDEN);
        let (outputs, numbers) = numbers.split_at(stages * 2 * (HIDDEN + 1));
        let outputs = outputs
            .chunks(2 * (HIDDEN + 1))
            .map(|bytes| {
                let (weights, bias) = bytes.split_at(2 * HIDDEN);
                Output {
                    weights: joined(weights),
                    bias: i16::from(bias[0]) << 8 | i16::from(bias[1] as u8),
                }
            })
            .collect();
        let row = |row: usize| std::array::from_fn(|neuron| numbers[neuron * rows + row]);
        Self::new((0..rows).map(row).collect(), joined(bias), outputs)
    }
}
