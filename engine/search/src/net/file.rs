//! The file of a network: its weights in bytes.
//!
//! Bias, outputs and rows, one after the other; numbers of 16 bits with the low byte first. It
//! is not packed: that would save a fifth and take longer than some moves may.

use super::{HIDDEN, Network, Output};

/// Reads numbers of 16 bits and of 8 bits; after the end all are 0.
struct Reader<'a>(std::slice::Iter<'a, u8>);

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn wide(&mut self) -> i16 {
        i16::from_le_bytes([self.byte(), self.byte()])
    }

    fn hidden(&mut self) -> [i16; HIDDEN] {
        std::array::from_fn(|_| self.wide())
    }
}

impl Network {
    /// The weights in bytes; `from_bytes` reads them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let outputs = self.outputs.iter();
        let outputs = outputs.flat_map(|output| output.weights.iter().chain([&output.bias]));
        let wide = self.bias.iter().chain(outputs);
        let mut bytes: Vec<u8> = wide.flat_map(|number| number.to_le_bytes()).collect();
        // No weight of a row takes more than eight bits: see `new`.
        bytes.extend(self.rows.iter().flatten().map(|&weight| weight as u8));
        bytes
    }

    /// The network of a game with so many rows and stages; what is missing is 0.
    pub fn from_bytes(bytes: &[u8], rows: usize, stages: usize) -> Self {
        let mut bytes = Reader(bytes.iter());
        let bias = bytes.hidden();
        let mut output = || Output {
            weights: bytes.hidden(),
            bias: bytes.wide(),
        };
        let outputs = (0..stages).map(|_| output()).collect();
        let mut row = || std::array::from_fn(|_| bytes.byte() as i8);
        Self::new((0..rows).map(|_| row()).collect(), bias, outputs)
    }
}
