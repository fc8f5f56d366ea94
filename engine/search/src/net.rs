//! A small network that says what a position is worth, for any game.
//!
//! One architecture: the board, seen by the side to move, switches on some *rows* of the first
//! layer ([`Features`]); they are summed up to the numbers of the hidden layer, which are clipped,
//! squared and weighed by weights of the game's stage. All of it is done in integers, so that every
//! machine comes to the same value.
//!
//! The sum is made anew for each position. In Ataxx 36 rows are on, and a move changes nine of them
//! on average; to take those off and put the new ones on, in a sum for each side to move, would be
//! 36 rows as well.

mod file;
mod widest;
mod windows;

use std::sync::OnceLock;

use ataxxd_rules::Position;

pub use widest::widest;
pub use windows::for_each_window;

/// The most numbers that a hidden layer has.
pub const MOST_HIDDEN: usize = 256;

/// The most rows that a board switches on.
const MOST_ROWS: usize = 64;

/// What stands for 1 in the hidden layer. Weights of rows are below it.
pub const ONE: i32 = 128;

/// What stands for 1 in the weights of the output. They are at most [`OUTPUT_LIMIT`].
pub const OUTPUT_ONE: i32 = 64;

/// So large can a weight of the output be that its product with a hidden number fits 16 bits.
pub const OUTPUT_LIMIT: i32 = 255;

/// The most a position is worth; more is a win.
const LIMIT: i32 = 20_000;

/// A board as a network sees it: the pieces of the side to move, the other's, and what else the
/// game has, such as blocks or kings.
pub type View = [u64; 3];

/// A game that a network can judge.
pub trait Features: Position {
    /// The network that the search uses.
    fn weights() -> &'static Weights;

    /// Rows of the first layer.
    const ROWS: usize;

    /// Numbers in the hidden layer: 32 or 256.
    const HIDDEN: usize;

    /// Stages of the game, each of which has its own weights of the output.
    const STAGES: usize;

    /// Centipieces that make the odds of winning e to one, at most 700.
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

    /// Takes other weights in their place, for training; without bytes, what is known without a
    /// network. `false` when a network is already in use: one process has one.
    pub fn replace<P: Features>(&self, bytes: &[u8]) -> bool {
        let network = Network::from_bytes::<P>(bytes);
        self.network.set(network).is_ok()
    }

    fn network<P: Features>(&self) -> &Network {
        self.network
            .get_or_init(|| Network::from_bytes::<P>(self.shipped))
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
    /// Row by row, as many numbers each as the hidden layer has.
    rows: Vec<i16>,
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

impl Network {
    /// A network of these weights; those of the rows, one row after the other, are in 1 / `ONE`.
    pub fn new(rows: &[i8], bias: Vec<i16>, outputs: Vec<Output>) -> Self {
        Self {
            rows: rows.iter().copied().map(i16::from).collect(),
            bias,
            outputs,
        }
    }

    /// What a position is worth to the side to move, in centipieces.
    #[inline]
    pub fn value<P: Features>(&self, position: &P) -> i32 {
        let value = position.known() + self.correction::<P>(&position.view());
        value.clamp(-LIMIT, LIMIT)
    }

    /// What the network adds to what is known, in centipieces.
    #[inline]
    pub fn correction<P: Features>(&self, view: &View) -> i32 {
        widest(
            #[inline(always)]
            || match P::HIDDEN {
                32 => self.sum::<P, 32>(view),
                256 => self.sum::<P, 256>(view),
                _ => unreachable!("a hidden layer has 32 or 256 numbers"),
            },
        )
    }

    /// The correction, where there are `N` hidden numbers.
    #[inline(always)]
    fn sum<P: Features, const N: usize>(&self, view: &View) -> i32 {
        let chunk = |numbers: &[i16]| -> [i16; N] { *numbers.first_chunk().expect("N numbers") };
        // The rows are found first, so that the sums stay in registers.
        let (mut rows, mut count) = ([0; MOST_ROWS], 0);
        P::for_each_row(view, |row| {
            rows[count] = row;
            count += 1;
        });
        let mut sums = chunk(&self.bias);
        for row in &rows[..count] {
            for (sum, weight) in sums.iter_mut().zip(chunk(&self.rows[row * N..])) {
                *sum = sum.wrapping_add(weight);
            }
        }
        let output = &self.outputs[P::stage(view)];
        // Products of 16 bits and their pairwise sums are what processors multiply fastest.
        let total: i32 = sums
            .iter()
            .zip(chunk(&output.weights))
            .map(|(&sum, weight)| {
                let hidden = sum.clamp(0, ONE as i16);
                i32::from(hidden) * i32::from(hidden.wrapping_mul(weight))
            })
            .sum();
        let unit = i64::from(ONE * ONE * OUTPUT_ONE);
        // At most 256 * 128 * 128 * 255 * 700 / 2^20: less than 800,000.
        (i64::from(total) * i64::from(P::CENTIPIECES) / unit) as i32 + i32::from(output.bias)
    }
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
            let narrow = network.sum::<Ataxx, { Ataxx::HIDDEN }>(&view);
            assert_eq!(network.correction::<Ataxx>(&view), narrow);
        }
    }
}
