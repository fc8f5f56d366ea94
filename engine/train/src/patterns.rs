//! The weights of the network of reversi, from nothing but the rules and a seed.
//!
//! In each of three rounds it plays from random openings, solves the ends exactly, and fits the network
//! to the final scores.

mod games;
mod positions;
mod rescore;

use std::io::Error;
use std::path::Path;

use ataxxd_rules::reversi::Reversi;
use ataxxd_search::net::{Features, Network};
use ataxxd_search::reversi::evaluation::PIECE;

use crate::network::{Lesson, Sample, Samples, about, adopt, fitted, named, write};

/// By what factor each round has fewer games than the last round.
const SHARES: [u64; 3] = [8, 4, 1];

/// Passes over the positions of a round.
const PASSES: u64 = 6;

/// One game in so many is kept apart to see how good the prediction is.
const KEPT_APART: u32 = 64;

/// Games that are played before they are written.
const GAMES_AT_ONCE: u64 = 32_000;

/// Plays and fits; the last round has `count` games. The weights are the same for the same seed.
///
/// # Errors
///
/// When there are too few games, or `output` cannot be written.
pub fn make(count: u64, seed: u64, threads: u64, output: &Path) -> Result<(), Error> {
    let mut network = Network::zeros::<Reversi>();
    for (round, share) in (0..).zip(SHARES) {
        let played = games::play(count / share, seed + round, &network, threads);
        network = fit(&played, None, PASSES, seed + round, output)?;
    }
    write::<Reversi>(&network, output)
}

/// Plays `count` more games with these weights, and fits them to these games, too.
///
/// # Errors
///
/// When a file cannot be read or written, or there are too few games.
pub fn improve(
    weights: &str,
    count: u64,
    seed: u64,
    threads: u64,
    output: &Path,
) -> Result<(), Error> {
    let network = named::<Reversi>(weights)?;
    let played = games::play(count, seed, &network, threads);
    let network = fit(&played, Some((weights, &network)), PASSES, seed, output)?;
    write::<Reversi>(&network, output)
}

/// Plays games with these weights and adds their positions to a file.
///
/// # Errors
///
/// When a file cannot be read or written.
pub fn play(weights: &str, count: u64, seed: u64, threads: u64, file: &Path) -> Result<(), Error> {
    let network = named::<Reversi>(weights)?;
    for first in (0..count).step_by(GAMES_AT_ONCE as usize) {
        let games = GAMES_AT_ONCE.min(count - first);
        let played = games::play(games, seed + first, &network, threads);
        positions::append(&played, file)?;
    }
    Ok(())
}

/// One of so many parts of a file: each position whose number leaves the same remainder.
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Which one, counted from 0.
    pub number: usize,
    pub of: usize,
}

/// Scores the positions in a part of a file by searches of so many nodes with these weights, and adds them to another
/// file.
///
/// # Errors
///
/// When a file cannot be read or written.
pub fn rescore(
    weights: &str,
    nodes: u64,
    part: Part,
    seed: u64,
    [input, output]: [&str; 2],
) -> Result<(), Error> {
    adopt::<Reversi>(weights)?;
    let played = about(input, positions::read(Path::new(input)))?;
    let played = played.into_iter().skip(part.number).step_by(part.of);
    let scored = rescore::rescored(&played.collect::<Vec<_>>(), nodes, seed);
    eprintln!("{} positions", scored.len());
    about(output, positions::append(&scored, Path::new(output)))
}

/// Fits a network to the positions of files, from nothing or beginning with weights.
///
/// # Errors
///
/// When a file cannot be read or written, or there are too few positions.
pub fn fit_files(
    weights: Option<&str>,
    passes: u64,
    seed: u64,
    output: &Path,
    files: &[&str],
) -> Result<(), Error> {
    let start = weights.map(named::<Reversi>).transpose()?;
    let mut played = Vec::new();
    for file in files {
        played.extend(positions::read(Path::new(file))?);
    }
    let network = fit(&played, weights.zip(start.as_ref()), passes, seed, output)?;
    write::<Reversi>(&network, output)
}

/// Fits a network to positions, beginning with the weights of a name or with none.
fn fit(
    played: &[games::Sample],
    start: Option<(&str, &Network)>,
    epochs: u64,
    seed: u64,
    output: &Path,
) -> Result<Network, Error> {
    let lesson = Lesson {
        weights: start.map(|(name, _)| name),
        epochs,
        seed,
    };
    let mut samples = Samples::default();
    for sample in played {
        let list = if sample.game % KEPT_APART == 0 {
            &mut samples.apart
        } else {
            &mut samples.taught
        };
        list.push(Sample {
            view: [sample.own, sample.other, 0],
            known: 0.0,
            target: f32::from(sample.score) * PIECE as f32 / Reversi::CENTIPIECES as f32,
        });
    }
    let title = format!("reversi {lesson:?}");
    let start = start.map(|(_, network)| network);
    fitted::<Reversi>(&lesson, start, &samples, &title, output)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_same_seed_makes_the_same_weights_which_learn_from_more_games_and_from_files() {
        let name = format!("ataxxd-train-{}-patterns", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder can be made");
        let [one, two, more, fitted, games, scored] =
            ["one", "two", "more", "fitted", "games", "scored"].map(|name| folder.join(name));
        let network = |path: &Path| {
            let bytes = fs::read(path).expect("it is there");
            Network::from_bytes::<Reversi>(&bytes).expect("it is whole")
        };
        make(64, 1, 1, &one).expect("it learns");
        make(64, 1, 2, &two).expect("it learns");
        assert_eq!(network(&one), network(&two));
        let weights = one.to_str().expect("text");
        improve(weights, 16, 2, 1, &more).expect("it learns");
        assert_ne!(network(&one), network(&more));
        play(weights, 16, 3, 1, &games).expect("it plays");
        let first = fs::read(&games).expect("it is there").len();
        play("none", 16, 3, 1, &games).expect("it plays");
        assert!(fs::read(&games).expect("it is there").len() > first);
        let file = games.to_str().expect("text");
        fit_files(None, 2, 1, &fitted, &[file]).expect("it learns");
        assert_ne!(network(&fitted), network(&one));
        let [both, half] = [file, scored.to_str().expect("text")];
        let part = Part { number: 1, of: 2 };
        rescore("shipped", 50, part, 1, [both, half]).expect("it searches");
        let count = |path: &Path| fs::read(path).expect("it is there").len();
        assert!((1..=count(&games) / 2).contains(&count(&scored)));
        fit_files(Some(weights), 2, 1, &fitted, &[half]).expect("it learns");
        assert_ne!(network(&fitted), network(&one));
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}
