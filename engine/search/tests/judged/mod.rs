//! What a network is to see of each game, written down plainly.

mod ataxx;
mod checkers;
mod loa;
mod reversi;

use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, Ruleset};
use ataxxd_search::net::Features;

/// A game with a network, described without tricks.
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

/// Adds the positions of a game of random moves, but the last.
fn add_random_game<P: Position>(
    positions: &mut Vec<P>,
    ruleset: &'static Ruleset,
    random: &mut Random,
) {
    let mut position = P::start(ruleset);
    while position.outcome().is_none() {
        positions.push(position.clone());
        let moves = position.legal_moves();
        position = position.play_unchecked(*random.choose(&moves));
    }
}

/// A position whose text has x and o for the sides, with one in the other's place.
fn with_letters_exchanged<P: Position>(position: &P) -> P {
    let exchange = |letter| match letter {
        'x' => 'o',
        'o' => 'x',
        'X' => 'O',
        'O' => 'X',
        other => other,
    };
    let text: String = position.text().chars().map(exchange).collect();
    P::from_text(position.ruleset(), &text).expect("well formed")
}
