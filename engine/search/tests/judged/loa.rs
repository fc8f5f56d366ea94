//! Windows of two by two squares, and lines.

use ataxxd_rules::board8::Square;
use ataxxd_rules::loa::Loa;
use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, find_ruleset};

use super::{Judged, add_random_game, with_letters_exchanged};

impl Judged for Loa {
    /// Positions of random games, and boards with any pieces anywhere.
    fn positions(random: &mut Random) -> Vec<Self> {
        let ruleset = find_ruleset("loa/cs61b").expect("it exists");
        let mut positions = Vec::new();
        for _ in 0..10 {
            add_random_game(&mut positions, ruleset, random);
            let rarity = 2 + random.below(9);
            let rows: [String; 8] = std::array::from_fn(|_| {
                let square = |_| match random.below(rarity) {
                    0 => 'x',
                    1 => 'o',
                    _ => '1',
                };
                (0..8).map(square).collect()
            });
            let text = format!("{} o", rows.join("/"));
            positions.push(Self::from_text(ruleset, &text).expect("well formed"));
        }
        positions
    }

    /// Square by square: 0 nothing, 1 an own piece, 2 the other's.
    fn plain_rows(&self) -> Vec<usize> {
        let turn = self.turn();
        let holds = |column, row| {
            let bit = Square::new(column, row).expect("on the board").bit();
            usize::from(self.pieces(turn) & bit != 0)
                + 2 * usize::from(self.pieces(turn.opponent()) & bit != 0)
        };
        let mut rows = Vec::new();
        for column in 0..7 {
            for row in 0..7 {
                let state = holds(column, row)
                    + 3 * holds(column, row + 1)
                    + 9 * holds(column + 1, row)
                    + 27 * holds(column + 1, row + 1);
                rows.push(81 * rows.len() + state);
            }
        }
        let line = |squares: &[(u8, u8)]| {
            let add = |state, &(column, row): &_| 3 * state + holds(column, row);
            squares.iter().rev().fold(0, add)
        };
        let windows = 81 * rows.len();
        for number in 0..8 {
            let table = windows + 6561 * usize::from(number.min(7 - number));
            let all: [u8; 8] = std::array::from_fn(|place| place as u8);
            rows.push(table + line(&all.map(|row| (number, row))));
            rows.push(table + line(&all.map(|column| (column, number))));
        }
        let mut table = windows + 4 * 6561;
        for length in (3..=8_u8).rev() {
            let squares = |difference: i8| {
                (0..8).filter_map(move |row: u8| {
                    let column = row.checked_add_signed(difference)?;
                    (column < 8).then_some((column, row))
                })
            };
            let mut differences = vec![8 - length as i8, length as i8 - 8];
            differences.dedup();
            for difference in differences {
                let rising: Vec<_> = squares(difference).collect();
                let falling: Vec<_> = rising
                    .iter()
                    .map(|&(column, row)| (7 - column, row))
                    .collect();
                rows.extend([table + line(&rising), table + line(&falling)]);
            }
            table += 3_usize.pow(length.into());
        }
        rows
    }

    fn plain_stage(&self) -> usize {
        match self.counts().iter().sum::<u32>() {
            21.. => 0,
            17..=20 => 1,
            13..=16 => 2,
            9..=12 => 3,
            0..=8 => 4,
        }
    }

    fn exchanged(&self) -> Self {
        with_letters_exchanged(self)
    }
}
