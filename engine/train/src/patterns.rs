//! The weights of the patterns of reversi, from nothing but the rules and a seed.
//!
//! In each of three rounds it plays from random openings, solves the ends exactly, fits the weights
//! of each phase to the final scores, and prints how well they predict games that were kept apart.

mod fit;
mod games;

use ataxxd_search::reversi::evaluation::{Evaluation, PHASES, write};
use rayon::prelude::*;

/// By what factor each round has fewer games than the last round.
const SHARES: [u64; 3] = [8, 4, 1];

/// Plays and fits; the last round has `count` games. The packed weights: the same for the same seed.
pub fn make(count: u64, seed: u64, threads: u64) -> Vec<u8> {
    let mut packed = Vec::new();
    for (round, share) in SHARES.into_iter().enumerate() {
        let evaluation = Evaluation::unpacked(&packed);
        let samples = games::play(count / share, seed + round as u64, &evaluation, threads);
        let fitted: Vec<_> = (0..PHASES)
            .map(|phase| fit::phase(&samples, phase, None))
            .collect();
        packed = packed_of(&fitted);
    }
    packed
}

/// Plays `count` more games with packed weights, and fits them to these games, too.
pub fn improve(packed: &[u8], count: u64, seed: u64, threads: u64) -> Vec<u8> {
    let evaluation = Evaluation::unpacked(packed);
    let samples = games::play(count, seed, &evaluation, threads);
    let fitted: Vec<_> = (0..PHASES)
        .into_par_iter()
        .map(|phase| fit::phase(&samples, phase, Some(&evaluation.steps(phase))))
        .collect();
    packed_of(&fitted)
}

fn packed_of(fitted: &[Vec<i8>]) -> Vec<u8> {
    let packed = write(fitted);
    let used = fitted.iter().flatten().filter(|&&weight| weight != 0);
    eprintln!(
        "{} weights are not zero, {} bytes",
        used.count(),
        packed.len()
    );
    packed
}
