//! Boards of Ataxx to begin with, and their symmetries.

use ataxxd_rules::Position;
use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::random::Random;
use ataxxd_search::net::View;

use super::Trainable;

impl Trainable for Ataxx {
    const SYMMETRIES: u64 = 8;
    const SHAPES: usize = ataxxd_search::ataxx::windows::STATES;

    /// Both rulesets; half of the boards are empty, the others have blocks in symmetric places.
    fn board(random: &mut Random) -> Self {
        let ruleset = random.choose(Self::RULESETS);
        let mut squares = [[b'1'; 7]; 7];
        if random.below(2) == 0 {
            for _ in 0..=random.below(3) {
                let (row, column) = (random.below(4) as usize, random.below(4) as usize);
                for (row, column) in [
                    (row, column),
                    (row, 6 - column),
                    (6 - row, column),
                    (6 - row, 6 - column),
                ] {
                    squares[row][column] = b'-';
                }
            }
        }
        (squares[0][0], squares[6][6]) = (b'x', b'x');
        (squares[0][6], squares[6][0]) = (b'o', b'o');
        let rows = squares.map(|row| row.map(char::from).iter().collect::<String>());
        let text = format!("{} x 0 1", with_runs(&rows.join("/")));
        Self::from_text(ruleset, &text).expect("the board is well formed")
    }

    fn random_plies(random: &mut Random) -> u64 {
        4 + random.below(9)
    }

    fn turned(view: &View, symmetry: u64) -> View {
        view.map(|set| turned_seven(set, symmetry))
    }

    fn shape(row: usize) -> usize {
        row % Self::SHAPES
    }
}

/// Joins empty squares that stand side by side into one number, as position text has it.
fn with_runs(board: &str) -> String {
    let mut text = String::new();
    let mut run = 0;
    let flush = |text: &mut String, run: &mut u32| {
        if *run > 0 {
            *text += &run.to_string();
            *run = 0;
        }
    };
    for square in board.chars() {
        if square == '1' {
            run += 1;
        } else {
            flush(&mut text, &mut run);
            text.push(square);
        }
    }
    flush(&mut text, &mut run);
    text
}

/// A set of squares of seven by seven, in rows of eight bits, turned and mirrored: bit 0 of the
/// symmetry mirrors columns, bit 1 rows, and bit 2 then swaps columns with rows.
fn turned_seven(mut set: u64, symmetry: u64) -> u64 {
    if symmetry & 1 != 0 {
        set = set.reverse_bits().swap_bytes() >> 1;
    }
    if symmetry & 2 != 0 {
        set = set.swap_bytes() >> 8;
    }
    if symmetry & 4 != 0 {
        // Swaps across the diagonal by blocks of four, of two and of one (Hacker's Delight, 7-3).
        for (shift, mask) in [
            (28, 0x0000_0000_f0f0_f0f0_u64),
            (14, 0x0000_cccc_0000_cccc),
            (7, 0x00aa_00aa_00aa_00aa),
        ] {
            let swapped = (set ^ (set >> shift)) & mask;
            set ^= swapped ^ (swapped << shift);
        }
    }
    set
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::ataxx::{BOARD, squares};

    use super::*;
    use crate::network::trainable::opening;

    #[test]
    fn the_symmetries_of_a_board_are_eight_and_move_each_square_where_they_should() {
        for symmetry in 0..8 {
            for square in squares(BOARD) {
                let (mut column, mut row) = (square.column(), square.row());
                if symmetry & 1 != 0 {
                    column = 6 - column;
                }
                if symmetry & 2 != 0 {
                    row = 6 - row;
                }
                if symmetry & 4 != 0 {
                    (column, row) = (row, column);
                }
                assert_eq!(
                    turned_seven(square.bit(), symmetry),
                    1 << (8 * row + column)
                );
            }
        }
    }

    #[test]
    fn openings_of_a_stream_are_the_same_again_and_those_of_others_differ() {
        let texts = |seed| -> Vec<_> {
            let open = |index| opening::<Ataxx>(&mut Random::stream(seed, index)).text();
            (0..50).map(open).collect()
        };
        assert_eq!(texts(1), texts(1));
        let mut all = [texts(1), texts(2)].concat();
        all.sort();
        all.dedup();
        assert!(all.len() > 95, "{} of 100", all.len());
    }
}
