//! Weights that replace the shipped ones; in a process of its own, because each process has one evaluation.

use ataxxd_search::reversi::evaluation::{COUNT_STEPS, COUNTS, PHASES, evaluate, replace, write};
use ataxxd_search::reversi::patterns::PLACES;

#[test]
fn other_weights_are_used_from_the_first_position_on_and_never_changed() {
    let mut weights = vec![0; COUNTS + PLACES.count];
    // Nothing but the pieces.
    weights[2] = COUNT_STEPS as i8;
    assert!(replace(&write(&vec![weights; PHASES])));
    let (own, other) = (0x0000_0018_1c00_0001_u64, 0x0000_2424_0038_0000_u64);
    let difference = own.count_ones() as i32 - other.count_ones() as i32;
    assert_eq!(evaluate(own, other), 100 * difference);
    assert!(!replace(&[]));
}
