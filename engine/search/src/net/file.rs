//! The file of a network: its weights in bytes.
//!
//! Bias, outputs and rows, one after the other; numbers of 16 bits with the low byte first. It is not packed where that
//! would save a fifth and take longer than some moves may. But rows of which many are never seen are packed, after the
//! number of their bytes in 32 bits.

use std::fmt;

use super::rows::{pack, unpack};
use super::{Features, Network, Output};

/// Bytes that are not the weights of a game's network: there are too few or too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongLength {
    /// Whose weights they should be.
    pub game: &'static str,
    /// How many bytes there are.
    pub found: usize,
    /// How many there have to be; at least, if they are so few that even that cannot be read.
    pub needed: usize,
}

impl fmt::Display for WrongLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            game,
            found,
            needed,
        } = self;
        write!(
            f,
            "the weights of {game} have {needed} bytes, and these are {found}"
        )
    }
}

impl std::error::Error for WrongLength {}

impl Network {
    /// The weights in bytes; `from_bytes` reads them.
    pub fn to_bytes<P: Features>(&self) -> Vec<u8> {
        let outputs = self.outputs.iter();
        let outputs = outputs.flat_map(|output| output.weights.iter().chain([&output.bias]));
        let wide = self.bias.iter().chain(outputs);
        let mut bytes: Vec<u8> = wide.flat_map(|number| number.to_le_bytes()).collect();
        let rows = self.rows().flatten().map(|weight| weight as i8);
        if P::PACKED {
            let packed = pack(&rows.collect::<Vec<_>>(), P::HIDDEN);
            bytes.extend((packed.len() as u32).to_le_bytes());
            bytes.extend(packed);
        } else {
            bytes.extend(rows.map(|weight| weight as u8));
        }
        bytes
    }

    /// The network of a game.
    ///
    /// # Errors
    ///
    /// When there are not as many bytes as its weights have.
    pub fn from_bytes<P: Features>(bytes: &[u8]) -> Result<Self, WrongLength> {
        let wide = 2 * (P::HIDDEN + P::STAGES * (P::HIDDEN + 1));
        let needed = wide
            + if P::PACKED {
                let length = bytes.get(wide..).and_then(|rest| rest.first_chunk());
                4 + length.map_or(0, |length| u32::from_le_bytes(*length) as usize)
            } else {
                P::ROWS * P::HIDDEN
            };
        if bytes.len() != needed {
            return Err(WrongLength {
                game: P::GAME,
                found: bytes.len(),
                needed,
            });
        }
        let (wide, rows) = bytes.split_at(wide);
        let wide = wide.chunks_exact(2);
        let wide: Vec<i16> = wide
            .map(|two| i16::from_le_bytes([two[0], two[1]]))
            .collect();
        let (bias, outputs) = wide.split_at(P::HIDDEN);
        let outputs = outputs.chunks_exact(P::HIDDEN + 1).map(|output| Output {
            weights: output[..P::HIDDEN].to_vec(),
            bias: output[P::HIDDEN],
        });
        let rows: Vec<i8> = if P::PACKED {
            unpack(&rows[4..], P::ROWS, P::HIDDEN)
        } else {
            rows.iter().map(|&weight| weight as i8).collect()
        };
        Ok(Self::new(&rows, bias.to_vec(), outputs.collect()))
    }

    /// The network of a game that knows nothing: all weights are 0.
    pub fn zeros<P: Features>() -> Self {
        let output = Output {
            weights: vec![0; P::HIDDEN],
            bias: 0,
        };
        Self::new(
            &vec![0; P::ROWS * P::HIDDEN],
            vec![0; P::HIDDEN],
            vec![output; P::STAGES],
        )
    }
}
