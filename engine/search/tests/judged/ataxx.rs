//! Windows of two by two squares.

use ataxxd_rules::Position;
use ataxxd_rules::ataxx::{Ataxx, Square};
use ataxxd_rules::random::Random;

use super::{Judged, with_letters_exchanged};
use crate::generated::{KINDS, generate};

impl Judged for Ataxx {
    fn positions(random: &mut Random) -> Vec<Self> {
        let mut positions = Vec::new();
        for kind in KINDS {
            for round in 0..100 {
                let ruleset = ["ataxx/uai", "ataxx/cs61b-2022"][round % 2];
                positions.push(generate(random, kind, ruleset));
            }
        }
        positions
    }

    /// Square by square: 0 nothing, 1 an own piece, 2 the other's, 3 a block. Windows with
    /// one block at most come first, each with 189 rows; then one row for whatever others hold.
    fn plain_rows(&self) -> Vec<usize> {
        let turn = self.turn();
        let holds = |column, row| {
            let bit = Square::new(column, row).expect("on the board").bit();
            if self.blocks() & bit != 0 {
                3
            } else if self.pieces(turn) & bit != 0 {
                1
            } else {
                2 * usize::from(self.pieces(turn.opponent()) & bit != 0)
            }
        };
        let quads: Vec<[usize; 4]> = (0..256)
            .map(|number| [64, 16, 4, 1].map(|unit| number / unit % 4))
            .collect();
        let blocks = |quad: &[usize; 4]| quad.iter().filter(|&&square| square == 3).count();
        let (usual, rare): (Vec<_>, Vec<_>) = quads.iter().partition(|quad| blocks(quad) < 2);
        let mut rows = Vec::new();
        for row in 0..6 {
            for column in 0..6 {
                let quad = [
                    holds(column + 1, row + 1),
                    holds(column, row + 1),
                    holds(column + 1, row),
                    holds(column, row),
                ];
                let place = |quads: &[&[usize; 4]]| quads.iter().position(|&&other| other == quad);
                rows.push(match place(&usual) {
                    Some(state) => 189 * rows.len() + state,
                    None => 189 * 36 + place(&rare).expect("one of all"),
                });
            }
        }
        rows
    }

    fn plain_stage(&self) -> usize {
        (self.counts().iter().sum::<u32>() as usize - 1) / 8
    }

    fn exchanged(&self) -> Self {
        with_letters_exchanged(self)
    }
}
