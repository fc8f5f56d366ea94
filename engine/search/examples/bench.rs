//! Searches fixed positions to a fixed depth and prints how many positions that took.
//!
//! The total is the same on every machine; it changes only when the search does.
//! With an argument, a number of milliseconds, it shows depth and speed from the start instead;
//! a second one is a number of threads.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::{Position, find_ruleset};
use ataxxd_search::{Limits, Report, Searcher, Silent};

const DEPTH: u32 = 9;

const POSITIONS: [&str; 12] = [
    "x5o/7/7/7/7/7/o5x x 0 1",
    "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
    "x5o/7/3-3/2-1-2/3-3/7/o5x x 0 1",
    "7/7/7/2x1o2/7/7/7 x 0 1",
    "x5o/1x5/2x4/7/4o2/5o1/o5x o 0 4",
    "xx4o/xx4o/5oo/7/2x4/oo4x/oo3xx x 0 9",
    "1xx2oo/xxx1ooo/xx2oo1/3x3/1oo1xx1/ooo1xxx/oo2xx1 o 0 16",
    "xxxxooo/xxx1ooo/xx-1-oo/3x3/oo-1-xx/ooo1xxx/oooxxx1 x 0 20",
    "xxxxxxx/xxooooo/xxoo1oo/ooxx1xx/ooxxxxo/1ooooox/oooxxx1 o 3 30",
    "2ooo2/1oxxxo1/oxxxxxo/1xx1xx1/oxxxxxo/1oxxxo1/2ooo2 x 1 22",
    "o6/xx5/xxx4/xxxx3/7/4ooo/3oooo o 12 14",
    "xoxoxox/oxoxoxo/xo2oxo/ox3xo/xoxoxox/oxoxoxo/xoxoxo1 x 20 40",
];

fn search(text: &str, limits: &Limits) -> Report<<Ataxx as Position>::Move> {
    let ruleset = find_ruleset("ataxx/cs61b-2022").expect("it exists");
    let position = Ataxx::from_text(ruleset, text).expect("the position is valid");
    Searcher::new(16)
        .search(&position, limits, &AtomicBool::new(false), &mut Silent)
        .expect("the game goes on")
}

fn main() {
    let mut limits = Limits::default();
    if let Some(argument) = std::env::args().nth(1) {
        let ms = argument
            .parse()
            .expect("the argument is a number of milliseconds");
        limits.time = Some(Duration::from_millis(ms));
        let threads = std::env::args().nth(2);
        limits.threads = threads.map_or(1, |text| text.parse().expect("a number of threads"));
        let found = search(POSITIONS[0], &limits);
        let speed = found.nodes as f64 / found.elapsed.as_secs_f64() / 1e6;
        println!(
            "depth {} in {:?}, {speed:.2} M nodes/s, score {}",
            found.depth, found.elapsed, found.score
        );
        return;
    }
    limits.depth = Some(DEPTH);
    let mut total = 0;
    for text in POSITIONS {
        let found = search(text, &limits);
        println!(
            "{:>9} nodes {:>7.1} ms  score {:>6}  {text}",
            found.nodes,
            found.elapsed.as_secs_f64() * 1e3,
            found.score
        );
        total += found.nodes;
    }
    println!("{total}");
}
