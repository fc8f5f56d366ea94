//! What the fit learns from: boards, and how good they turned out to be.

use std::fs::File;
use std::io::{BufRead, BufReader, Error};
use std::path::Path;

use ataxxd_search::net::View;

use super::record::{Game, read};
use super::trainable::{Trainable, sign};

/// A board and what is to be said of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub view: View,
    /// What is known without the network, as the logarithm of the odds.
    pub known: f32,
    /// The chance to win that the side to move has: partly what the search thought, partly how
    /// the game ended.
    pub target: f32,
}

/// Samples to learn from, and those of games that are kept apart.
#[derive(Debug, Default)]
pub struct Samples {
    pub taught: Vec<Sample>,
    pub apart: Vec<Sample>,
}

/// One game in so many is kept apart, to see how good the predictions are.
const KEPT_APART: usize = 64;

/// What a score in centipieces says of the chance to win.
fn chance<P: Trainable>(score: i32) -> f32 {
    1.0 / (1.0 + (-(score as f32) / P::CENTIPIECES as f32).exp())
}

impl Samples {
    /// Adds the games of a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or has a line that is not a game.
    pub fn add<P: Trainable>(&mut self, path: &Path) -> Result<(), Error> {
        let wrong = |number: usize, text: &str| {
            Error::other(format!("{}, line {}: {text}", path.display(), number + 1))
        };
        for (number, line) in BufReader::new(File::open(path)?).lines().enumerate() {
            let line = line?;
            if line.starts_with('#') {
                continue;
            }
            let game = read::<P>(&line).map_err(|text| wrong(number, &text))?;
            let samples = if number % KEPT_APART == 0 {
                &mut self.apart
            } else {
                &mut self.taught
            };
            let (positions, last) = positions_of(&game);
            let mut add = |position: &P, chance: f32, of_result: f32| {
                if !position.is_judged() {
                    return;
                }
                let sign = sign(position.turn());
                let ended = (1 + sign * game.result) as f32 / 2.0;
                let chance = if sign > 0 { chance } else { 1.0 - chance };
                samples.push(Sample {
                    view: position.view(),
                    known: position.known() as f32 / P::CENTIPIECES as f32,
                    target: of_result * ended + (1.0 - of_result) * chance,
                });
            };
            for (position, chance) in positions.iter().zip(chances(&game, &positions)) {
                if let Some(chance) = chance {
                    add(position, chance, P::RESULT_SHARE);
                }
            }
            // The game was ended because its end was proved: here it is known who wins.
            if last.outcome().is_none() {
                add(&last, 0.0, 1.0);
            }
        }
        Ok(())
    }
}

/// The positions in which the moves of a game were made, and the last one.
fn positions_of<P: Trainable>(game: &Game<P>) -> (Vec<P>, P) {
    let mut position = game.start.clone();
    let mut positions = Vec::with_capacity(game.moves.len());
    for &(mv, _) in &game.moves {
        let next = position.play_unchecked(mv);
        positions.push(std::mem::replace(&mut position, next));
    }
    (positions, position)
}

/// The chance of the first side in each position, as the search saw it then and later; none where
/// the move was made at random or was the only one.
fn chances<P: Trainable>(game: &Game<P>, positions: &[P]) -> Vec<Option<f32>> {
    let mut later = Some((1 + game.result) as f32 / 2.0);
    let mut backwards: Vec<_> = positions
        .iter()
        .zip(&game.moves)
        .rev()
        .map(|(position, &(_, score))| {
            let Some(score) = score else {
                // What comes after a move at random says nothing of the position before.
                if position.legal_moves().len() > 1 {
                    later = None;
                }
                return None;
            };
            let now = chance::<P>(score * sign(position.turn()));
            later = Some(P::LAMBDA * later.unwrap_or(now) + (1.0 - P::LAMBDA) * now);
            later
        })
        .collect();
    backwards.reverse();
    backwards
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::ataxx::Ataxx;

    use super::*;

    #[test]
    fn what_the_search_said_later_counts_up_to_a_move_at_random() {
        let line = "ataxx/uai;x5o/7/7/7/7/7/o5x x 0 1;g2 100 a2 -200 g3 - a3 -300 g4 0;-1";
        let game = read::<Ataxx>(line).expect("it is a game");
        let (positions, _) = positions_of(&game);
        let lambda = Ataxx::LAMBDA;
        let last = (1.0 - lambda) * 0.5;
        let expected = [
            Some(lambda * chance::<Ataxx>(200) + (1.0 - lambda) * chance::<Ataxx>(100)),
            Some(chance::<Ataxx>(200)),
            None,
            Some(lambda * last + (1.0 - lambda) * chance::<Ataxx>(300)),
            Some(last),
        ];
        for (found, expected) in chances(&game, &positions).iter().zip(expected) {
            assert_eq!(found.is_some(), expected.is_some());
            let difference = found.unwrap_or_default() - expected.unwrap_or_default();
            assert!(difference.abs() < 1e-6, "{difference}");
        }
    }
}
