//! Measures what the win finder costs on generated positions, kind by kind.
//!
//! Usage: `win_cost [COUNT [SEED]]`, positions of each kind.

#[path = "../tests/generated/mod.rs"]
mod generated;

use std::time::Instant;

use ataxxd_rules::Position;
use ataxxd_rules::random::Random;
use ataxxd_search::win_finder::{HORIZON, forced_win};
use generated::{KINDS, generate};

fn main() {
    let mut arguments = std::env::args()
        .skip(1)
        .map(|text| text.parse().expect("a number"));
    let count: u64 = arguments.next().unwrap_or(1_000);
    let mut random = Random::new(arguments.next().unwrap_or(1));
    for kind in KINDS {
        let mut costs = Vec::new();
        let mut won = [0; HORIZON as usize + 1];
        let started = Instant::now();
        for number in 0..count {
            let ruleset = ["ataxx/cs61b-2022", "ataxx/uai"][number as usize % 2];
            let position = generate(&mut random, kind, ruleset);
            let asked = Instant::now();
            let (win, visited) = forced_win(&position, HORIZON);
            won[win.map_or(0, |win| win.moves as usize)] += 1;
            costs.push((asked.elapsed(), visited, position.text()));
        }
        let all = started.elapsed();
        costs.sort();
        let (worst, visited, text) = &costs[costs.len() - 1];
        println!(
            "{kind:?}: mean {:.1?} ({} visited), 99% {:.1?}, max {worst:.1?} ({visited} visited): {text}; not won / in 1..4: {won:?}",
            all / count as u32,
            costs.iter().map(|cost| cost.1).sum::<u64>() / count,
            costs[costs.len() * 99 / 100].0,
        );
    }
}
