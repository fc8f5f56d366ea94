//! Fits the weights of the Ataxx evaluation to the results of self-play.
//!
//! Usage: `tune GAMES NODES [SEED]`. Games start from random openings; from each, some
//! positions are kept. The winning chance of the side to move is modelled as a logistic
//! function of the evaluation and fitted by Newton's method with a little ridge. Prints
//! the weights, scaled so that an edge piece on a half-full board is worth 100.

use std::sync::atomic::AtomicBool;

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, find_ruleset};
use ataxxd_search::ataxx::evaluation::{FEATURES, features, phase};
use ataxxd_search::{Limits, Searcher, Silent};

const PARAMETERS: usize = 2 * FEATURES;
const RIDGE: f64 = 1.0;
/// Centipieces that make the odds e to one.
const SCALE: f64 = 700.0;

struct Sample {
    inputs: [f64; PARAMETERS],
    /// Half the result (1 won, 0.5 drawn, 0 lost for the side to move), half what the
    /// search expected.
    target: f64,
}

fn sample(position: &Ataxx) -> [f64; PARAMETERS] {
    let features = features(position);
    let open = f64::from(phase(position)) / 49.0;
    std::array::from_fn(|index| {
        let share = if index < FEATURES { open } else { 1.0 - open };
        f64::from(features[index % FEATURES]) * share
    })
}

fn play_game(random: &mut Random, nodes: u64, samples: &mut Vec<Sample>) {
    let boards = [
        "x5o/7/7/7/7/7/o5x",
        "x5o/7/2-1-2/7/2-1-2/7/o5x",
        "x5o/7/3-3/2-1-2/3-3/7/o5x",
        "x5o/1-3-1/7/7/7/1-3-1/o5x",
    ];
    let board = boards[random.below(8).min(3) as usize];
    let ruleset = find_ruleset("ataxx/cs61b-2022").expect("it exists");
    let mut position = Ataxx::from_text(ruleset, &format!("{board} x 0 1")).expect("valid");
    let random_plies = 4 + random.below(8);
    let mut searcher = Searcher::new(1);
    let mut kept = Vec::new();
    for ply in 0.. {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        let by_chance = ply < random_plies || random.below(20) == 0;
        let mv = if by_chance {
            moves[random.below(moves.len() as u64) as usize]
        } else {
            let limits = Limits {
                nodes: Some(nodes),
                seed: random.number(),
                ..Limits::default()
            };
            let stop = AtomicBool::new(false);
            let report = searcher
                .search(&position, &limits, &stop, &mut Silent)
                .expect("not over");
            if report.mate_in.is_none() && random.below(2) == 0 {
                let expected = 1.0 / (1.0 + (-f64::from(report.score) / SCALE).exp());
                kept.push((sample(&position), position.turn(), expected));
            }
            report.best
        };
        position = position.play_unchecked(mv);
    }
    let winner = position.outcome().expect("the game is over").winner;
    samples.extend(kept.into_iter().map(|(inputs, turn, expected)| {
        let result = winner.map_or(0.5, |side| f64::from(u8::from(side == turn)));
        Sample {
            inputs,
            target: (result + expected) / 2.0,
        }
    }));
}

/// Solves `matrix * x = vector` by elimination with pivots.
fn solve(mut matrix: Vec<Vec<f64>>, mut vector: Vec<f64>) -> Vec<f64> {
    let n = vector.len();
    for column in 0..n {
        let pivot = (column..n)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))
            .expect("not empty");
        matrix.swap(column, pivot);
        vector.swap(column, pivot);
        let top = matrix[column].clone();
        for row in 0..n {
            let factor = matrix[row][column] / top[column];
            if row != column && factor != 0.0 {
                for (value, above) in matrix[row].iter_mut().zip(&top) {
                    *value -= factor * above;
                }
                vector[row] -= factor * vector[column];
            }
        }
    }
    (0..n).map(|row| vector[row] / matrix[row][row]).collect()
}

fn fit(samples: &[Sample]) -> Vec<f64> {
    let mut weights = vec![0.0; PARAMETERS];
    for round in 0..12 {
        let mut hessian = vec![vec![0.0; PARAMETERS]; PARAMETERS];
        let mut gradient = vec![0.0; PARAMETERS];
        for row in 0..PARAMETERS {
            hessian[row][row] = RIDGE;
            gradient[row] = -RIDGE * weights[row];
        }
        let mut loss = 0.0;
        for Sample { inputs, target } in samples {
            let logit: f64 = inputs.iter().zip(&weights).map(|(x, w)| x * w).sum();
            let chance = (1.0 / (1.0 + (-logit).exp())).clamp(1e-9, 1.0 - 1e-9);
            loss -= target * chance.ln() + (1.0 - target) * (1.0 - chance).ln();
            let slope = chance * (1.0 - chance);
            for row in 0..PARAMETERS {
                gradient[row] += (target - chance) * inputs[row];
                for column in 0..PARAMETERS {
                    hessian[row][column] += slope * inputs[row] * inputs[column];
                }
            }
        }
        eprintln!(
            "round {round}: loss {:.5} a sample",
            loss / samples.len() as f64
        );
        for (weight, step) in weights.iter_mut().zip(solve(hessian, gradient)) {
            *weight += step;
        }
    }
    weights
}

fn main() {
    let arguments: Vec<u64> = std::env::args()
        .skip(1)
        .map(|text| text.parse().expect("a number"))
        .collect();
    let [games, nodes, ..] = arguments[..] else {
        eprintln!("usage: tune GAMES NODES [SEED]");
        std::process::exit(2);
    };
    let mut random = Random::new(arguments.get(2).copied().unwrap_or(1));
    let mut samples = Vec::new();
    for _ in 0..games {
        play_game(&mut random, nodes, &mut samples);
    }
    eprintln!("{} positions of {games} games", samples.len());
    let weights = fit(&samples);
    let unit = (weights[2] + weights[2 + FEATURES]) / 2.0;
    println!("a unit of weight is worth {unit:.3} in the logarithm of the odds");
    for half in weights.chunks(FEATURES) {
        let scaled: Vec<_> = half
            .iter()
            .map(|w| (100.0 * w / unit).round() as i32)
            .collect();
        println!("{scaled:?}");
    }
}
