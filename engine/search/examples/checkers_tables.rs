//! Makes the endgame tables of checkers that come with the program, always the same bytes.
//!
//! Usage: `checkers_tables FILE [PIECES]`; four pieces by default, in seconds; for five there is `ataxxd tables make`.

use std::io::Write;

use ataxxd_search::checkers::tables::generate::Whole;
use ataxxd_search::checkers::tables::write;

fn main() {
    let arguments: Vec<_> = std::env::args().collect();
    let Some(file) = arguments.get(1) else {
        eprintln!("usage: checkers_tables FILE [PIECES]");
        std::process::exit(2);
    };
    let pieces = arguments.get(2).map_or(4, |text| {
        text.parse().expect("PIECES is a number from 2 to 5")
    });
    let whole = Whole::up_to(pieces, |made, all| {
        eprint!("\r{made} of {all} pairs of tables");
        std::io::stderr().flush().expect("a terminal or a file");
    });
    eprintln!("; packing");
    let bytes = write(&whole, pieces);
    std::fs::write(file, &bytes).unwrap_or_else(|error| panic!("cannot write {file}: {error}"));
    eprintln!("{} bytes in {file}", bytes.len());
}
