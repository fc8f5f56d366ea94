//! What teaching needs to know of a game: where its games begin, and which boards are the same.

mod ataxx;
mod checkers;

use ataxxd_rules::random::Random;
use ataxxd_search::Searchable;
use ataxxd_search::net::{Features, View};

/// A game that a network learns.
pub trait Trainable: Searchable + Features + Send {
    /// In how many ways a board can be turned and mirrored without a change of its worth.
    const SYMMETRIES: u64;

    /// Rows of the first layer that see the same in different places have the same *shape*:
    /// what is learnt of one is at first believed of all.
    const SHAPES: usize;

    /// Whether the search asks the network about a position; it learns from no others.
    fn is_judged(&self) -> bool {
        true
    }

    /// A board to begin with.
    fn board(random: &mut Random) -> Self;

    /// How many moves are made at random before the players choose.
    fn random_plies(random: &mut Random) -> u64;

    /// A board turned and mirrored in one of the ways.
    fn turned(view: &View, symmetry: u64) -> View;

    /// The shape of a row, below `SHAPES`.
    fn shape(row: usize) -> usize;
}

/// A position after random moves from which there is something to choose.
pub fn opening<P: Trainable>(random: &mut Random) -> P {
    loop {
        let mut position = P::board(random);
        for _ in 0..P::random_plies(random) {
            let moves = position.legal_moves();
            if moves.is_empty() {
                break;
            }
            position = position.play_unchecked(*random.choose(&moves));
        }
        if position.legal_moves().len() > 1 {
            return position;
        }
    }
}
