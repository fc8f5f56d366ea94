//! What a network is to see of each game, written down plainly.

mod ataxx;
mod checkers;
mod loa;

use ataxxd_rules::random::Random;
use ataxxd_search::net::Features;

/// A game with a network, told without tricks.
pub trait Judged: Features {
    /// Some positions of every kind.
    fn positions(random: &mut Random) -> Vec<Self>;

    /// The rows that a position switches on.
    fn plain_rows(&self) -> Vec<usize>;

    /// Its stage.
    fn plain_stage(&self) -> usize;

    /// The same position with the sides' names exchanged.
    fn exchanged(&self) -> Self;
}
