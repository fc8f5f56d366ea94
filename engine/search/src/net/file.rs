//! The file of a network: its weights in bytes.
//!
//! Bias, outputs and rows, one after the other; numbers of 16 bits with the low byte first. It
//! is not packed: that would save a fifth and take longer than some moves may.

use super::{Features, Network, Output};

/// Reads numbers of 16 bits and of 8 bits; after the end all are 0.
struct Reader<'a>(std::slice::Iter<'a, u8>);

impl Reader<'_> {
    fn byte(&mut self) -> u8 {
        self.0.next().copied().unwrap_or(0)
    }

    fn wide(&mut self) -> i16 {
        i16::from_le_bytes([self.byte(), self.byte()])
    }

    fn hidden<P: Features>(&mut self) -> Vec<i16> {
        (0..P::HIDDEN).map(|_| self.wide()).collect()
    }
}

impl Network {
    /// The weights in bytes; `from_bytes` reads them.
    pub fn to_bytes(&self) -> Vec<u8> {
        let outputs = self.outputs.iter();
        let outputs = outputs.flat_map(|output| output.weights.iter().chain([&output.bias]));
        let wide = self.bias.iter().chain(outputs);
        let mut bytes: Vec<u8> = wide.flat_map(|number| number.to_le_bytes()).collect();
        bytes.extend(self.rows().flatten().map(|weight| weight as u8));
        bytes
    }

    /// The network of a game; what is missing is 0.
    pub fn from_bytes<P: Features>(bytes: &[u8]) -> Self {
        let mut bytes = Reader(bytes.iter());
        let bias = bytes.hidden::<P>();
        let mut output = || Output {
            weights: bytes.hidden::<P>(),
            bias: bytes.wide(),
        };
        let outputs = (0..P::STAGES).map(|_| output()).collect();
        let mut rows = vec![0; P::ROWS * P::HIDDEN];
        rows.fill_with(|| bytes.byte() as i8);
        Self::new(&rows, bias, outputs)
    }
}
