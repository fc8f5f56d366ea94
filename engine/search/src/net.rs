//! A small neural network that evaluates positions, for any game.
//!
//! One architecture: the board, seen by the side to move, switches on some *rows* of the first
//! layer ([`Features`]); they are summed up to the numbers of the hidden layer, which are clipped,
//! squared and weighed by weights of the game's stage. All of it is done in integers, so that every
//! machine comes to the same value.
//!
//! Where a move changes few rows, the search updates the parent's sum ([`Accumulators`]); elsewhere each position is
//! summed from scratch.

#[cfg(not(target_arch = "wasm32"))]
mod accumulators;
mod file;
#[cfg(not(target_arch = "wasm32"))]
mod portable;
mod rows;
#[cfg(target_arch = "wasm32")]
mod wasm;
mod windows;

use std::sync::OnceLock;

use ataxxd_processor::{in_large_pages, widest};
use ataxxd_rules::Position;

use crate::score::MOST_EVALUATED;

#[cfg(not(target_arch = "wasm32"))]
use portable::MOST_LANES;
#[cfg(target_arch = "wasm32")]
use wasm::MOST_LANES;

#[cfg(not(target_arch = "wasm32"))]
pub use accumulators::Accumulators;
pub use file::WrongLength;
pub use windows::{for_each_change, for_each_window, interleaved};

/// The most rows that a board switches on: 188 in checkers, with twelve kings and twelve men.
const MOST_ROWS: usize = 192;

/// What stands for 1 in the hidden layer. Weights of rows are below it.
pub const ONE: i32 = 128;

/// What stands for 1 in the weights of the output. They are at most [`OUTPUT_LIMIT`].
pub const OUTPUT_ONE: i32 = 64;

/// The largest weight of the output, such that its product with a hidden number fits 16 bits.
pub const OUTPUT_LIMIT: i32 = 255;

/// A board as a network sees it: the pieces of the side to move, the other's, and what else the
/// game has, such as blocks or kings.
pub type View = [u64; 3];

/// A game that a network can judge.
pub trait Features: Position {
    /// The network that the search uses.
    fn weights() -> &'static Weights;

    /// Rows of the first layer.
    const ROWS: usize;

    /// Numbers in the hidden layer: 32, 64, 128 or 256.
    const HIDDEN: usize;

    /// Stages of the game, each of which has its own weights of the output.
    const STAGES: usize;

    /// Whether the file has the rows packed, which pays off where many are never seen.
    const PACKED: bool = false;

    /// Centipieces that make the odds of winning e to one, at most 700; what an output of 1 stands for.
    const CENTIPIECES: i32 = 700;

    /// The board as the side to move sees it.
    fn view(&self) -> View;

    /// Calls `visit` with each row that a board switches on.
    fn for_each_row(view: &View, visit: impl FnMut(usize));

    /// The stage of a board, below `STAGES`.
    fn stage(view: &View) -> usize;

    /// What is known of a position without the network, in centipieces for the side to move; the
    /// network says what to add to it.
    fn known(&self) -> i32 {
        0
    }
}

/// A game in which a move changes few of the rows that a board switches on.
pub trait Stepwise: Features {
    /// Calls `visit` with each row that is on for the first board and the one that is on for the second in its place.
    ///
    /// Returns `false` without a call where there are more than `most`.
    fn for_each_change(
        before: &View,
        after: &View,
        most: u32,
        visit: impl FnMut(usize, usize),
    ) -> bool;
}

/// The network of one game, read when it is first needed.
#[derive(Debug)]
pub struct Weights {
    shipped: &'static [u8],
    network: OnceLock<Network>,
}

impl Weights {
    /// Weights as `ataxxd-train` writes them.
    pub const fn shipped(shipped: &'static [u8]) -> Self {
        Self {
            shipped,
            network: OnceLock::new(),
        }
    }

    /// Takes another network in their place, for training; `false` when one is already in use: one
    /// process has one.
    pub fn replace(&self, network: Network) -> bool {
        self.network.set(network).is_ok()
    }

    /// The network that is in use.
    pub fn network<P: Features>(&self) -> &Network {
        self.network.get_or_init(|| {
            Network::from_bytes::<P>(self.shipped).expect("whole weights are shipped")
        })
    }
}

/// What a position is worth to the side to move by its game's network, in centipieces.
#[inline]
pub fn evaluate<P: Features>(position: &P) -> i32 {
    P::weights().network::<P>().value(position)
}

/// The weights of one game, quantised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// Row by row, in pairs: see `pairs`.
    rows: Vec<u16>,
    bias: Vec<i16>,
    outputs: Vec<Output>,
}

/// How a stage of the game weighs the hidden numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// In 1 / `OUTPUT_ONE`, within ±`OUTPUT_LIMIT`.
    pub weights: Vec<i16>,
    /// In centipieces.
    pub bias: i16,
}

impl Output {
    /// The output for a weighed sum of the hidden numbers, in centipieces.
    #[inline(always)]
    fn centipieces<P: Features>(&self, total: i32) -> i32 {
        let unit = i64::from(ONE * ONE * OUTPUT_ONE);
        // At most 256 * 128 * 128 * 255 * 700 / 2^20: less than 800,000.
        (i64::from(total) * i64::from(P::CENTIPIECES) / unit) as i32 + i32::from(self.bias)
    }
}

impl Network {
    /// A network of these weights; those of the rows, one row after the other, are in 1 / `ONE`.
    pub fn new(rows: &[i8], bias: Vec<i16>, outputs: Vec<Output>) -> Self {
        let mut pairs = pairs(rows, lanes(bias.len()));
        Self {
            rows: in_large_pages(rows.len() / 2, || pairs.next().expect("half as many")),
            bias,
            outputs,
        }
    }

    /// What each row adds to the hidden numbers, in 1 / `ONE`.
    pub fn rows(&self) -> impl Iterator<Item = Vec<i16>> {
        let lanes = lanes(self.bias.len());
        let weight = |byte: u16| byte as i16 - MOVED as i16;
        let rows = self.rows.chunks_exact(self.bias.len() / 2);
        rows.map(move |row| {
            let blocks = row.chunks_exact(lanes).flat_map(move |block| {
                let lower = block.iter().map(move |pair| weight(pair & 255));
                lower.chain(block.iter().map(move |pair| weight(pair >> 8)))
            });
            blocks.collect()
        })
    }

    /// What the hidden numbers are when no row is on, in 1 / `ONE`.
    pub fn bias(&self) -> &[i16] {
        &self.bias
    }

    /// How each stage weighs the hidden numbers.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// What a position is worth to the side to move, in centipieces.
    #[inline]
    pub fn value<P: Features>(&self, position: &P) -> i32 {
        let value = position.known() + self.correction::<P>(&position.view());
        value.clamp(-MOST_EVALUATED, MOST_EVALUATED)
    }

    /// What the network adds to what is known, in centipieces.
    #[inline]
    pub fn correction<P: Features>(&self, view: &View) -> i32 {
        widest(
            #[inline(always)]
            || match P::HIDDEN {
                32 => self.sum::<P, 16, { lanes(32) }>(view),
                64 => self.sum::<P, 32, { lanes(64) }>(view),
                128 => self.sum::<P, 64, { lanes(128) }>(view),
                256 => self.sum::<P, 128, { lanes(256) }>(view),
                _ => unreachable!("a hidden layer has 32, 64, 128 or 256 numbers"),
            },
        )
    }
}

/// What is added to a weight of a row so that it is a byte without a sign.
const MOVED: u16 = 128;

/// Pairs of weights that are summed at once, where there are so many hidden numbers.
pub const fn lanes(hidden: usize) -> usize {
    if hidden < 2 * MOST_LANES {
        hidden / 2
    } else {
        MOST_LANES
    }
}

/// Weights in pairs of bytes: a row is half as long as with numbers of 16 bits, and reading memory takes
/// most of the time. The one in the upper byte is `lanes` further on in the row.
fn pairs(weights: &[i8], lanes: usize) -> impl Iterator<Item = u16> {
    let moved = |weight: i8| (i16::from(weight) + MOVED as i16) as u16;
    let blocks = weights.chunks_exact(2 * lanes);
    let halves = blocks.map(move |block| block.split_at(lanes));
    halves
        .flat_map(|(lower, upper)| lower.iter().zip(upper))
        .map(move |(&lower, &upper)| moved(lower) | moved(upper) << 8)
}

/// The numbers at the beginning of `numbers`.
#[inline(always)]
fn chunk<T, const N: usize>(numbers: &[T]) -> &[T; N] {
    numbers.first_chunk().expect("N numbers")
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::ataxx::{Ataxx, BOARD};
    use ataxxd_rules::random::Random;

    use super::*;

    #[test]
    fn a_processor_without_wide_registers_comes_to_the_same() {
        let mut random = Random::new(1);
        for _ in 0..1000 {
            let network = Ataxx::weights().network::<Ataxx>();
            let own = random.number() & BOARD;
            let view = [own, random.number() & BOARD & !own, 0];
            let narrow = network.sum::<Ataxx, 128, { lanes(256) }>(&view);
            assert_eq!(network.correction::<Ataxx>(&view), narrow);
        }
    }
}
