//! What training needs to know about a game: its openings and symmetries.

mod ataxx;
mod checkers;
mod loa;
mod reversi;
mod symmetry;

use ataxxd_rules::Side;
use ataxxd_rules::random::Random;
use ataxxd_search::Searchable;
use ataxxd_search::net::{Features, View};

/// A game whose network is fitted to samples.
pub trait Fitted: Features {
    /// In how many ways a board can be turned and mirrored without a change of its worth.
    const SYMMETRIES: u64;

    /// Rows of the first layer that see the same in different places have the same *shape*:
    /// what is learnt of one is at first believed of all. 0 where all rows see something else.
    const SHAPES: usize;

    /// Whether the output is to be near the target, by the mean of squares, and not to say the odds.
    const SQUARED: bool = false;

    /// A row that is seen so often takes half of each step; one that is hardly ever seen stays what it was, and in the file
    /// it takes no place. With none all take whole steps.
    const RARE: Option<f32> = None;

    /// Samples between two steps.
    const BATCH: usize = 8192;

    /// What a network that knows nothing begins with.
    const START: Start = Start {
        rows: 0.0,
        weights: 0.4,
        bias: 0.2,
    };

    /// A board turned and mirrored in one of the ways.
    fn turned(view: &View, symmetry: u64) -> View;

    /// The shape of a row, below `SHAPES`; those without one come last.
    fn shape(row: usize) -> Option<usize>;
}

/// The numbers of a network that knows nothing.
#[derive(Debug, Clone, Copy)]
pub struct Start {
    /// The largest weight of a row that takes whole steps, where `RARE` tells rows apart.
    pub rows: f32,
    /// The largest weight of the output with 32 hidden numbers.
    pub weights: f32,
    /// What each hidden number is without a row.
    pub bias: f32,
}

/// A game that a network learns from games it plays.
pub trait Trainable: Searchable + Fitted + Send {
    /// Games begin where neither side is ahead by more than this, in centipieces: others are decided
    /// too soon to learn much from. None takes any opening.
    const BALANCE: Option<i32> = None;

    /// Moves at random after the opening, so that games differ.
    const DETOURS: Option<Detours> = Some(Detours {
        one_in: 40,
        most: 1,
    });

    /// The detours of games that explore.
    const EXPLORING: Detours = Detours { one_in: 3, most: 4 };

    /// Whether the search asks the network about a position; it learns from no others.
    fn is_judged(&self) -> bool {
        true
    }

    /// A board to begin with.
    fn board(random: &mut Random) -> Self;

    /// How many moves are made at random before the players choose.
    fn random_plies(random: &mut Random) -> u64;
}

/// When moves are made at random, after the opening.
#[derive(Debug, Clone, Copy)]
pub struct Detours {
    /// Before one move in so many.
    pub one_in: u64,
    /// How many moves at most.
    pub most: u64,
}

/// 1 for the side that moves first, otherwise -1.
pub fn sign(side: Side) -> i32 {
    if side == Side::First { 1 } else { -1 }
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

#[cfg(test)]
mod tests {
    use ataxxd_rules::ataxx::Ataxx;
    use ataxxd_rules::checkers::Checkers;
    use ataxxd_rules::loa::Loa;

    use super::*;

    #[test]
    fn openings_of_a_stream_are_the_same_again_and_those_of_others_differ() {
        fn check<P: Trainable>() {
            let texts = |seed| -> Vec<_> {
                let open = |index| opening::<P>(&mut Random::stream(seed, index)).text();
                (0..50).map(open).collect()
            };
            assert_eq!(texts(1), texts(1));
            let mut all = [texts(1), texts(2)].concat();
            all.sort();
            all.dedup();
            assert!(all.len() > 95, "{} of 100", all.len());
        }
        check::<Ataxx>();
        check::<Checkers>();
        check::<Loa>();
    }
}
