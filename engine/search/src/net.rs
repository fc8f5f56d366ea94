//! A small network that says what a position is worth, for any game.
//!
//! One architecture: the board, seen by the side to move, switches on some *rows* of the first
//! layer ([`Features`]); they are summed up to [`HIDDEN`] numbers, which are clipped, squared and
//! weighed by weights of the game's stage. All of it is done in integers, so that every machine
//! comes to the same value.
//!
//! The sum is made anew for each position. In Ataxx 36 rows are on, and a move changes nine of them
//! on average; to take those off and put the new ones on, in a sum for each side to move, would be
//! 36 rows as well.

mod file;
mod windows;

use std::sync::OnceLock;

use ataxxd_rules::Position;

pub use windows::for_each_window;

/// Numbers in the hidden layer.
pub const HIDDEN: usize = 32;

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
        let network = Network::from_bytes(bytes, P::ROWS, P::STAGES);
        self.network.set(network).is_ok()
    }

    fn network<P: Features>(&self) -> &Network {
        self.network
            .get_or_init(|| Network::from_bytes(self.shipped, P::ROWS, P::STAGES))
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
    rows: Vec<[i16; HIDDEN]>,
    bias: [i16; HIDDEN],
    outputs: Vec<Output>,
}

/// How a stage of the game weighs the hidden numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// In 1 / `OUTPUT_ONE`, within ±`OUTPUT_LIMIT`.
    pub weights: [i16; HIDDEN],
    /// In centipieces.
    pub bias: i16,
}

impl Network {
    /// A network of these weights; the rows are in 1 / `ONE`.
    pub fn new(rows: Vec<[i8; HIDDEN]>, bias: [i16; HIDDEN], outputs: Vec<Output>) -> Self {
        let rows = rows.into_iter().map(|row| row.map(i16::from)).collect();
        Self {
            rows,
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
        let mut sums = self.bias;
        P::for_each_row(view, |row| {
            for (sum, weight) in sums.iter_mut().zip(&self.rows[row]) {
                *sum = sum.wrapping_add(*weight);
            }
        });
        let output = &self.outputs[P::stage(view)];
        // Products of 16 bits and their pairwise sums are what processors multiply fastest.
        let total: i32 = sums
            .iter()
            .zip(&output.weights)
            .map(|(&sum, &weight)| {
                let hidden = sum.clamp(0, ONE as i16);
                i32::from(hidden) * i32::from(hidden.wrapping_mul(weight))
            })
            .sum();
        let unit = i64::from(ONE * ONE * OUTPUT_ONE);
        // At most 32 * 128 * 128 * 255 * 700 / 2^20: less than 100,000.
        (i64::from(total) * i64::from(P::CENTIPIECES) / unit) as i32 + i32::from(output.bias)
    }
}
