//! Fits the evaluation of reversi to the engine's own games.
//!
//! Usage: `ataxxd-train GAMES [SEED] [OUTPUT]`. Begins with no knowledge at all. In each of three
//! rounds, the last of which has GAMES games, it plays from random openings, solves the ends
//! exactly, fits the weights of each phase to the final scores, and prints how well they predict
//! games that were kept apart. At last it writes them, packed, to OUTPUT. The same seed gives the
//! same bytes.

mod fit;
mod games;

use std::fs;

use ataxxd_search::reversi::evaluation::{Evaluation, PHASES, write};

/// Each round has so much less games than the last one.
const SHARES: [u64; 3] = [8, 4, 1];

const USAGE: &str = "usage: ataxxd-train GAMES [SEED] [OUTPUT]";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).map(|text| text.parse::<u64>());
    let (Some(Ok(count)), seed) = (number(0), number(1).unwrap_or(Ok(1))) else {
        eprintln!("{USAGE}");
        std::process::exit(2);
    };
    let seed = seed.expect("SEED is a number");
    let mut packed = Vec::new();
    for (round, share) in SHARES.into_iter().enumerate() {
        let evaluation = Evaluation::unpacked(&packed);
        let samples = games::play(count / share, seed + round as u64, &evaluation);
        let fitted: Vec<_> = (0..PHASES)
            .map(|phase| fit::phase(&samples, phase))
            .collect();
        packed = write(&fitted);
        let used = fitted.iter().flatten().filter(|&&weight| weight != 0);
        eprintln!(
            "{} weights are not zero, {} bytes",
            used.count(),
            packed.len()
        );
    }
    if let Some(output) = arguments.get(2) {
        fs::write(output, packed).expect("OUTPUT can be written");
    }
}
