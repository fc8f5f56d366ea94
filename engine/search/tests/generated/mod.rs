//! Positions of every kind in which short wins hide, from a seed.

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, find_ruleset};

/// How a position comes about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// After some random moves.
    Played,
    /// After some moves that each won the most at once, nearly always.
    Greedy,
    /// A few pieces of each side anywhere.
    Sparse,
    /// Many pieces against a few that stand together.
    Lopsided,
    /// One to eight empty squares.
    NearlyFull,
    /// As `Greedy`, with the clock close to its limit.
    NearLimit,
}

pub const KINDS: [Kind; 6] = [
    Kind::Played,
    Kind::Greedy,
    Kind::Sparse,
    Kind::Lopsided,
    Kind::NearlyFull,
    Kind::NearLimit,
];

/// The next position of a kind that is not over.
pub fn generate(random: &mut Random, kind: Kind, ruleset: &str) -> Ataxx {
    loop {
        let position = match kind {
            Kind::Played | Kind::Greedy | Kind::NearLimit => played(random, kind, ruleset),
            _ => placed(random, kind, ruleset),
        };
        if position.outcome().is_none() {
            return position;
        }
    }
}

fn played(random: &mut Random, kind: Kind, ruleset: &str) -> Ataxx {
    let ruleset = find_ruleset(ruleset).expect("it exists");
    let mut position = Ataxx::start(ruleset);
    for _ in 0..random.below(70) {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let best = moves
            .iter()
            .max_by_key(|&&mv| {
                let us = position.turn();
                let gain = position.play_unchecked(mv).counts()[us.index()];
                u64::from(gain) << 8 | random.below(256)
            })
            .expect("there are moves");
        let any = &moves[random.below(moves.len() as u64) as usize];
        let by_chance = kind == Kind::Played || random.below(8) == 0;
        position = position.play_unchecked(if by_chance { *any } else { *best });
    }
    if kind == Kind::NearLimit {
        let limit = position.clock_limit();
        return with_clock(&position, limit - 1 - random.below(8) as u32);
    }
    position
}

fn with_clock(position: &Ataxx, clock: u32) -> Ataxx {
    let text = position.text();
    let mut fields: Vec<_> = text.split(' ').collect();
    let clock = clock.to_string();
    fields[2] = &clock;
    Ataxx::from_text(position.ruleset(), &fields.join(" ")).expect("only the clock changed")
}

fn placed(random: &mut Random, kind: Kind, ruleset: &str) -> Ataxx {
    let mut squares = [b'.'; 49];
    let anywhere = |random: &mut Random| random.below(49) as usize;
    for _ in 0..random.below(2) * random.below(12) {
        squares[anywhere(random)] = b'-';
    }
    match kind {
        Kind::Sparse => {
            for piece in [b'x', b'o'] {
                for _ in 0..=random.below(7) {
                    squares[anywhere(random)] = piece;
                }
            }
        }
        Kind::Lopsided => {
            for _ in 0..8 + random.below(20) {
                squares[anywhere(random)] = b'x';
            }
            let centre = anywhere(random);
            for _ in 0..=random.below(6) {
                let (row, column) = (centre / 7 + random.below(4) as usize, centre % 7);
                squares[row.min(6) * 7 + (column + random.below(4) as usize).min(6)] = b'o';
            }
        }
        _ => {
            let bias = 20 + random.below(60);
            for square in &mut squares {
                if *square == b'.' {
                    *square = if random.below(100) < bias { b'x' } else { b'o' };
                }
            }
            for _ in 0..=random.below(8) {
                squares[anywhere(random)] = b'.';
            }
        }
    }
    let side = ["x", "o"][random.below(2) as usize];
    let near_limit = random.below(4) == 0;
    let limit = if ruleset.ends_with("uai") { 100 } else { 25 };
    let clock = if near_limit {
        limit - 1 - random.below(8)
    } else {
        0
    };
    let rows: Vec<_> = squares.chunks(7).map(row_text).collect();
    let text = format!("{} {side} {clock} 30", rows.join("/"));
    Ataxx::from_text(find_ruleset(ruleset).expect("it exists"), &text).expect("valid text")
}

fn row_text(row: &[u8]) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for &square in row {
        if square == b'.' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text += &empty.to_string();
            empty = 0;
        }
        text.push(square.into());
    }
    if empty > 0 {
        text += &empty.to_string();
    }
    text
}
