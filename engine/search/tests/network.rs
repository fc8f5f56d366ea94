//! The networks against their definition, written down plainly.

mod generated;
mod judged;

use ataxxd_rules::Side;
use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::loa::Loa;
use ataxxd_rules::random::Random;
use ataxxd_rules::reversi::Reversi;
use ataxxd_search::net::{Network, ONE, OUTPUT_ONE, Output};
use judged::Judged;

/// A network of any weights that the file can hold, large ones included.
fn network<P: Judged>(random: &mut Random) -> (Network, Vec<i8>, Vec<i16>, Vec<Output>) {
    let mut between = |low: i64, high: i64| low + random.below((high - low + 1) as u64) as i64;
    let rows: Vec<i8> = (0..P::ROWS * P::HIDDEN)
        .map(|_| between(-127, 127) as i8)
        .collect();
    let mut numbers = |low, high| -> Vec<i16> {
        let numbers = (0..P::HIDDEN).map(|_| between(low, high) as i16);
        numbers.collect()
    };
    let bias = numbers(-200, 300);
    let outputs: Vec<Output> = (0..P::STAGES)
        .map(|_| Output {
            weights: numbers(-255, 255),
            bias: numbers(-900, 900)[0],
        })
        .collect();
    let network = Network::new(&rows, bias.clone(), outputs.clone());
    (network, rows, bias, outputs)
}

fn the_value_is_that_of_the_plain_computation<P: Judged>() {
    let mut random = Random::new(1);
    for _ in 0..4 {
        let (network, weights, bias, outputs) = network::<P>(&mut random);
        for position in P::positions(&mut random) {
            let rows = position.plain_rows();
            let output = &outputs[position.plain_stage()];
            let mut total = 0;
            for neuron in 0..P::HIDDEN {
                let weights = rows
                    .iter()
                    .map(|&row| i64::from(weights[row * P::HIDDEN + neuron]));
                let sum = i64::from(bias[neuron]) + weights.sum::<i64>();
                let hidden = sum.clamp(0, i64::from(ONE));
                total += hidden * hidden * i64::from(output.weights[neuron]);
            }
            let unit = i64::from(ONE * ONE * OUTPUT_ONE);
            let added = total * i64::from(P::CENTIPIECES) / unit + i64::from(output.bias);
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

#[test]
fn the_value_is_that_of_the_plain_computation_in_ataxx() {
    the_value_is_that_of_the_plain_computation::<Ataxx>();
}

#[test]
fn the_value_is_that_of_the_plain_computation_in_checkers() {
    the_value_is_that_of_the_plain_computation::<Checkers>();
}

#[test]
fn the_value_is_that_of_the_plain_computation_in_lines_of_action() {
    the_value_is_that_of_the_plain_computation::<Loa>();
}

#[test]
fn the_value_is_that_of_the_plain_computation_in_reversi() {
    the_value_is_that_of_the_plain_computation::<Reversi>();
}

#[test]
fn a_network_that_is_written_and_read_is_the_same() {
    fn check<P: Judged>() {
        let (network, ..) = network::<P>(&mut Random::new(2));
        let bytes = network.to_bytes::<P>();
        assert_eq!(Network::from_bytes::<P>(&bytes), Ok(network));
    }
    check::<Ataxx>();
    check::<Checkers>();
    check::<Loa>();
    check::<Reversi>();
}

#[test]
fn bytes_that_are_too_few_or_too_many_are_no_network() {
    fn check<P: Judged>() {
        let (network, ..) = network::<P>(&mut Random::new(2));
        let mut bytes = network.to_bytes::<P>();
        let needed = bytes.len();
        bytes.push(0);
        for found in [0, 1000, needed - 1, needed + 1] {
            let error = Network::from_bytes::<P>(&bytes[..found]).expect_err("no network");
            assert_eq!((error.game, error.found), (P::GAME, found));
            // How many bytes packed rows have is said before them.
            if !P::PACKED || found >= needed - 1 {
                assert_eq!(error.needed, needed);
            }
        }
    }
    check::<Ataxx>();
    check::<Checkers>();
    check::<Loa>();
    check::<Reversi>();
}

#[test]
fn a_network_of_zeros_adds_nothing_to_what_is_known() {
    fn check<P: Judged>() {
        let network = Network::zeros::<P>();
        let bytes = network.to_bytes::<P>();
        assert!(P::PACKED || bytes.iter().all(|&byte| byte == 0));
        assert_eq!(Network::from_bytes::<P>(&bytes).as_ref(), Ok(&network));
        for position in P::positions(&mut Random::new(4)) {
            assert_eq!(network.value(&position), position.known());
        }
    }
    check::<Ataxx>();
    check::<Checkers>();
    check::<Loa>();
    check::<Reversi>();
}

#[test]
fn a_position_is_worth_the_same_when_the_sides_change_names() {
    fn check<P: Judged>() {
        let mut random = Random::new(3);
        let (network, ..) = network::<P>(&mut random);
        for position in P::positions(&mut random) {
            let other = position.exchanged();
            assert_ne!(position.turn() == Side::First, other.turn() == Side::First);
            let text = position.text();
            assert_eq!(network.value(&position), network.value(&other), "{text}");
        }
    }
    check::<Ataxx>();
    check::<Checkers>();
    check::<Loa>();
    check::<Reversi>();
}
