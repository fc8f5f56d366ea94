//! Training samples: boards and their targets.

use std::fs;
use std::io::Error;
use std::path::Path;

use ataxxd_rules::Side;
use ataxxd_search::net::View;
use rayon::prelude::*;

use super::record::{Game, read};
use super::trainable::Trainable;

/// A board and what the network is to say about it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub view: View,
    /// What is known without the network, as its output: the logarithm of the odds.
    pub known: f32,
    /// The chance to win that the side to move has. Where the loss is squared, the output that would
    /// be right.
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

/// How much of what is learnt of a position is what was believed of the position after it
/// (TD(λ): Sutton 1988); the search's score has the rest.
const LAMBDA: f32 = 0.9;

/// Games of a file that are looked at side by side.
const LINES: usize = 16_384;

/// What a score in centipieces says of the chance to win.
fn chance<P: Trainable>(score: i32) -> f32 {
    1.0 / (1.0 + (-(score as f32) / P::CENTIPIECES as f32).exp())
}

/// Converts a chance of the first side to that of a side, or back.
fn seen_by(side: Side, chance: f32) -> f32 {
    match side {
        Side::First => chance,
        Side::Second => 1.0 - chance,
    }
}

impl Samples {
    /// Adds the games of a file.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or has a line that is not a game.
    pub fn add<P: Trainable>(&mut self, path: &Path) -> Result<(), Error> {
        let text = fs::read_to_string(path)?;
        let lines: Vec<(usize, &str)> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.starts_with('#'))
            .collect();
        for lines in lines.chunks(LINES) {
            let games = lines.par_iter().map(|(_, line)| {
                let mut samples = Vec::new();
                add_game(read::<P>(line)?, &mut samples);
                Ok(samples)
            });
            let games: Vec<Result<_, String>> = games.collect();
            for (game, (number, _)) in games.into_iter().zip(lines) {
                let wrong = |text| Error::other(format!("line {}: {text}", number + 1));
                let samples = game.map_err(wrong)?;
                if number % KEPT_APART == 0 {
                    self.apart.extend(samples);
                } else {
                    self.taught.extend(samples);
                }
            }
        }
        Ok(())
    }
}

/// Adds what the positions of a game teach, the last one first.
fn add_game<P: Trainable>(game: Game<P>, samples: &mut Vec<Sample>) {
    let mut add = |position: &P, first_wins: f32| {
        if position.is_judged() {
            samples.push(Sample {
                view: position.view(),
                known: position.known() as f32 / P::CENTIPIECES as f32,
                target: seen_by(position.turn(), first_wins),
            });
        }
    };
    let mut position = game.start;
    let mut steps = Vec::with_capacity(game.moves.len());
    for (mv, score) in game.moves {
        let next = position.play_unchecked(mv);
        steps.push((position, score));
        position = next;
    }
    // What is believed of the position after, by the first side's chance.
    let mut later = game.result.map(|result| (1 + result) as f32 / 2.0);
    // The game was ended because its end was proved: here it is known who wins.
    match later {
        Some(ended) if position.outcome().is_none() => add(&position, ended),
        _ => {}
    }
    for (position, score) in steps.iter().rev() {
        if let Some(score) = *score {
            let now = seen_by(position.turn(), chance::<P>(score));
            let believed = LAMBDA * later.unwrap_or(now) + (1.0 - LAMBDA) * now;
            add(position, believed);
            later = Some(believed);
        } else if position.count_moves() > 1 {
            // The move was made at random: what came of it says little of what was before.
            later = None;
        }
    }
}
