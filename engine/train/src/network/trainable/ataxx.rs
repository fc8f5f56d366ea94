//! Openings and symmetries of Ataxx.

use ataxxd_rules::Position;
use ataxxd_rules::ataxx::Ataxx;
use ataxxd_rules::random::Random;
use ataxxd_search::ataxx::windows;
use ataxxd_search::net::View;

use super::symmetry::turned;
use super::{Detours, Fitted, Trainable};

impl Fitted for Ataxx {
    const SYMMETRIES: u64 = 8;
    const SHAPES: usize = windows::SHAPES;

    fn turned(view: &View, symmetry: u64) -> View {
        view.map(|set| turned(set, 7, symmetry))
    }

    fn shape(row: usize) -> Option<usize> {
        Some(windows::shape(row))
    }
}

impl Trainable for Ataxx {
    const BALANCE: Option<i32> = Some(175);
    const DETOURS: Option<Detours> = None;

    /// Both rulesets; three of four boards are empty, the others have blocks in symmetric places.
    fn board(random: &mut Random) -> Self {
        let ruleset = random.choose(Self::RULESETS);
        let mut squares = [[b'1'; 7]; 7];
        if random.below(4) == 0 {
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
        4 + random.below(21)
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

#[cfg(test)]
mod tests {
    use ataxxd_search::net::Features;

    use super::*;

    #[test]
    fn usual_windows_share_a_shape_in_36_places_and_rare_ones_a_row() {
        let mut used = vec![0; Ataxx::SHAPES];
        for row in 0..Ataxx::ROWS {
            used[Ataxx::shape(row).expect("it has one")] += 1;
        }
        let (usual, rare) = used.split_at(189);
        assert!(usual.iter().all(|&count| count == 36));
        assert!(rare.len() == 67 && rare.iter().all(|&count| count == 1));
    }
}
