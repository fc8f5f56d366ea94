//! The network against its definition, written down plainly.

mod generated;

use ataxxd_rules::ataxx::{Ataxx, Square};
use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, Side};
use ataxxd_search::net::{Features, HIDDEN, Network, ONE, OUTPUT_ONE, Output};
use generated::{KINDS, generate};

/// A network of any weights that the file can hold, large ones included.
fn network(random: &mut Random) -> (Network, Vec<[i8; HIDDEN]>, [i16; HIDDEN], Vec<Output>) {
    let mut between = |low: i64, high: i64| low + random.below((high - low + 1) as u64) as i64;
    let rows: Vec<[i8; HIDDEN]> = (0..Ataxx::ROWS)
        .map(|_| std::array::from_fn(|_| between(-127, 127) as i8))
        .collect();
    let bias = std::array::from_fn(|_| between(-200, 300) as i16);
    let outputs: Vec<Output> = (0..Ataxx::STAGES)
        .map(|_| Output {
            weights: std::array::from_fn(|_| between(-255, 255) as i16),
            bias: between(-900, 900) as i16,
        })
        .collect();
    let network = Network::new(rows.clone(), bias, outputs.clone());
    (network, rows, bias, outputs)
}

/// The rows of a position, square by square: 0 nothing, 1 an own piece, 2 the other's, 3 a block.
fn rows(position: &Ataxx) -> Vec<usize> {
    let turn = position.turn();
    let holds = |column, row| {
        let bit = Square::new(column, row).expect("on the board").bit();
        if position.blocks() & bit != 0 {
            3
        } else if position.pieces(turn) & bit != 0 {
            1
        } else {
            2 * usize::from(position.pieces(turn.opponent()) & bit != 0)
        }
    };
    let mut rows = Vec::new();
    for row in 0..6 {
        for column in 0..6 {
            let state = holds(column, row)
                + 4 * holds(column + 1, row)
                + 16 * holds(column, row + 1)
                + 64 * holds(column + 1, row + 1);
            rows.push(256 * rows.len() + state);
        }
    }
    rows
}

#[test]
fn the_value_is_that_of_the_plain_computation_on_boards_of_every_kind() {
    let mut random = Random::new(1);
    for round in 0..8 {
        let (network, weights, bias, outputs) = network(&mut random);
        for kind in KINDS {
            for _ in 0..100 {
                let ruleset = ["ataxx/uai", "ataxx/cs61b-2022"][round % 2];
                let position = generate(&mut random, kind, ruleset);
                let rows = rows(&position);
                let pieces = position.counts().map(i64::from).iter().sum::<i64>();
                let output = &outputs[((pieces - 1) / 8) as usize];
                let mut total = 0;
                for neuron in 0..HIDDEN {
                    let weights = rows.iter().map(|&row| i64::from(weights[row][neuron]));
                    let sum = i64::from(bias[neuron]) + weights.sum::<i64>();
                    let hidden = sum.clamp(0, i64::from(ONE));
                    total += hidden * hidden * i64::from(output.weights[neuron]);
                }
                let unit = i64::from(ONE * ONE * OUTPUT_ONE);
                let added = total * i64::from(Ataxx::CENTIPIECES) / unit + i64::from(output.bias);
                let value = (i64::from(position.known()) + added).clamp(-20_000, 20_000);
                assert_eq!(
                    i64::from(network.value(&position)),
                    value,
                    "{}",
                    position.text()
                );
            }
        }
    }
}

#[test]
fn a_network_that_is_packed_and_unpacked_is_the_same() {
    let (network, ..) = network(&mut Random::new(2));
    let packed = network.packed();
    assert_eq!(
        Network::unpacked(&packed, Ataxx::ROWS, Ataxx::STAGES),
        network
    );
    // Bytes cut short make some network or other, and no panic.
    Network::unpacked(&packed[..1000], Ataxx::ROWS, Ataxx::STAGES);
}

#[test]
fn a_position_is_worth_the_same_when_the_sides_change_names() {
    let mut random = Random::new(3);
    let (network, ..) = network(&mut random);
    for kind in KINDS {
        for _ in 0..50 {
            let position = generate(&mut random, kind, "ataxx/uai");
            let text = position.text();
            let swapped: String = text
                .chars()
                .map(|letter| match letter {
                    'x' => 'o',
                    'o' => 'x',
                    other => other,
                })
                .collect();
            let other = Ataxx::from_text(position.ruleset(), &swapped).expect("well formed");
            assert_ne!(position.turn() == Side::First, other.turn() == Side::First);
            assert_eq!(network.value(&position), network.value(&other), "{text}");
        }
    }
}
