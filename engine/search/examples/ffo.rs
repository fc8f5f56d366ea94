//! Solves the endgame test positions FFO #40 to #44, one thread, and compares with the
//! published scores and moves.
//!
//! Usage: `ffo [HASH_MB]`; the table has 256 MiB by default. Positions by the French
//! federation of Othello, scores as published with them.

use std::time::{Duration, Instant};

use ataxxd_rules::reversi::Reversi;
use ataxxd_rules::{Position, find_ruleset};
use ataxxd_search::reversi::endgame::solve;

/// Number, position, score for the side to move, and the moves that reach it.
const POSITIONS: [(u32, &str, i32, &[&str]); 5] = [
    (
        40,
        "o--oooox-ooooooxooxxoooxooxoooxxooooooxx---oooox----o--x-------- x",
        38,
        &["a2"],
    ),
    (
        41,
        "-ooooo----oooox--oooooo-xxxxxoo--xxoox--ooxoxx----oxxo---ooo--o- x",
        0,
        &["h4"],
    ),
    (
        42,
        "--ooo-------xx-ooooooxoo-ooooxoox-oooxxo---ooxoo---oooxo--oooo-- x",
        6,
        &["g2"],
    ),
    (
        43,
        "--xxxxx---xxxx---oooxx---ooxxxx--ooxxxo-ooooxoo----xox----xxxxx- o",
        -12,
        &["c7", "g3"],
    ),
    (
        44,
        "--o-x-o---o-xo-o-ooxxxooooooxxxoooooxx--xxooxo----xxxx-----xxx-- o",
        -14,
        &["d2", "b8"],
    ),
];

fn main() {
    let hash_mb = std::env::args()
        .nth(1)
        .map_or(256, |text| text.parse().expect("HASH_MB is a number"));
    let ruleset = find_ruleset("reversi/standard").expect("it exists");
    let (mut total, mut visited, mut right) = (Duration::ZERO, 0, true);
    for (number, text, score, moves) in POSITIONS {
        let position = Reversi::from_text(ruleset, text).expect("the position is valid");
        let started = Instant::now();
        let (ending, nodes) = solve(&position, hash_mb);
        let elapsed = started.elapsed();
        let ending = ending.expect("the game goes on");
        let best = Reversi::move_text(ending.best);
        let agrees = ending.margin() == Some(score) && moves.contains(&best.as_str());
        println!(
            "#{number}  {:+} {best}  {:>12} nodes {:>7.2} s  {}",
            ending.lower,
            nodes,
            elapsed.as_secs_f64(),
            if agrees { "right" } else { "WRONG" }
        );
        total += elapsed;
        visited += nodes;
        right &= agrees;
    }
    println!("{visited} nodes, {:.2} s", total.as_secs_f64());
    std::process::exit(i32::from(!right));
}
