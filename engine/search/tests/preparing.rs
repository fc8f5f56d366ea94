//! What a search needs is loaded before it begins, if that was asked for.

use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::checkers::Checkers;
use ataxxd_rules::loa::Loa;
use ataxxd_rules::reversi::Reversi;
use ataxxd_search::net::{Features, Network};
use ataxxd_search::{Searchable, prepare};

/// A network in use cannot be replaced: that tells whether one is.
fn has_its_network<P: Searchable + Features>() {
    prepare::<P>();
    let other = Network::new(
        &vec![0; P::ROWS * P::HIDDEN],
        vec![0; P::HIDDEN],
        Vec::new(),
    );
    assert!(!P::weights().replace(other));
}

#[test]
fn a_game_that_was_prepared_has_its_network() {
    has_its_network::<Ataxx>();
    has_its_network::<Checkers>();
    has_its_network::<Loa>();
    has_its_network::<Reversi>();
}
