//! How the network of reversi is fitted.

use ataxxd_rules::reversi::Reversi;
use ataxxd_search::net::View;

use super::{Fitted, Start};

impl Fitted for Reversi {
    /// The rows of a board are the same however it is turned.
    const SYMMETRIES: u64 = 1;
    const SHAPES: usize = 0;
    const SQUARED: bool = true;
    const RARE: Option<f32> = Some(300.0);
    const BATCH: usize = 16_384;

    /// With 49 rows on a board larger ones would leave most hidden numbers at 0 or 1.
    const START: Start = Start {
        rows: 0.02,
        weights: 0.5,
        bias: 0.3,
    };

    fn turned(view: &View, _symmetry: u64) -> View {
        *view
    }

    fn shape(_row: usize) -> Option<usize> {
        None
    }
}
