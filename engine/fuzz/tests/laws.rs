//! The laws over the same few thousand inputs every time; `make fuzz` looks further.

use std::panic::catch_unwind;

use ataxxd_fuzz::{Inputs, LAWS};

const INPUTS: usize = 6000;

#[test]
fn no_law_is_broken_by_the_usual_inputs() {
    for (name, law) in LAWS {
        for input in Inputs::new(1).take(INPUTS) {
            if catch_unwind(|| law(&input)).is_err() {
                panic!(
                    "{name} is broken by {:?}: {:?}",
                    input,
                    String::from_utf8_lossy(&input)
                );
            }
        }
    }
}
