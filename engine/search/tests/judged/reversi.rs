//! Patterns of squares, numbers of moves and of empty squares.

use std::sync::LazyLock;

use ataxxd_rules::random::Random;
use ataxxd_rules::reversi::{Move, Reversi};
use ataxxd_rules::{Position, find_ruleset};

use super::{Judged, add_random_game, with_letters_exchanged};

/// The squares of each pattern at the left or lower left of the board.
const PATTERNS: [&str; 12] = [
    "a1 a2 a3 a4 a5 a6 a7 a8 b2 b7",
    "a1 a2 a3 b1 b2 b3 c1 c2 c3",
    "b1 b2 b3 b4 b5 b6 b7 b8",
    "c1 c2 c3 c4 c5 c6 c7 c8",
    "d1 d2 d3 d4 d5 d6 d7 d8",
    "a1 b2 c3 d4 e5 f6 g7 h8",
    "a2 b3 c4 d5 e6 f7 g8",
    "a3 b4 c5 d6 e7 f8",
    "a4 b5 c6 d7 e8",
    "a5 b6 c7 d8",
    "a1 a2 a3 a4 b1 b2 b3 c1 c2 d1",
    "a1 a3 a4 a5 a6 a8 b3 b4 b5 b6",
];

/// A column and a row from 0.
type Square = (usize, usize);

struct Pattern {
    /// Wherever it occurs: its squares.
    occurrences: Vec<Vec<Square>>,
    /// The row of each configuration in base three, the first square last.
    rows: Vec<usize>,
}

/// All patterns, and the row after theirs.
static ALL: LazyLock<(Vec<Pattern>, usize)> = LazyLock::new(|| {
    let mut next = 0;
    let all = PATTERNS.iter().map(|squares| pattern(squares, &mut next));
    (all.collect(), next)
});

fn pattern(squares: &str, next: &mut usize) -> Pattern {
    let square = |name: &str| {
        let name = name.as_bytes();
        (usize::from(name[0] - b'a'), usize::from(name[1] - b'1'))
    };
    let squares: Vec<Square> = squares.split(' ').map(square).collect();
    let sorted = |squares: &[Square]| {
        let mut squares = squares.to_vec();
        squares.sort_unstable();
        squares
    };
    let mut occurrences: Vec<Vec<Square>> = Vec::new();
    let mut reversed = squares.clone();
    for symmetry in 0..8 {
        let turned = |&(column, row): &Square| {
            let column = if symmetry & 1 != 0 {
                7 - column
            } else {
                column
            };
            let row = if symmetry & 2 != 0 { 7 - row } else { row };
            if symmetry & 4 != 0 {
                (row, column)
            } else {
                (column, row)
            }
        };
        let image: Vec<Square> = squares.iter().map(turned).collect();
        if sorted(&image) == sorted(&squares) && image != squares {
            reversed.clone_from(&image);
        }
        if occurrences
            .iter()
            .all(|other| sorted(other) != sorted(&image))
        {
            occurrences.push(image);
        }
    }
    // What reads the same along the other way has the same row.
    let places: Vec<usize> = (0..squares.len())
        .map(|place| {
            let other = reversed.iter().position(|&to| to == squares[place]);
            other.expect("the same squares")
        })
        .collect();
    let mut rows: Vec<usize> = Vec::new();
    for configuration in 0..3_usize.pow(squares.len() as u32) {
        let digit = |place: usize| configuration / 3_usize.pow(place as u32) % 3;
        let other =
            (0..squares.len()).map(|place| digit(places[place]) * 3_usize.pow(place as u32));
        match rows.get(other.sum::<usize>()) {
            Some(&row) => rows.push(row),
            None => {
                rows.push(*next);
                *next += 1;
            }
        }
    }
    Pattern { occurrences, rows }
}

impl Judged for Reversi {
    /// Positions of random games, and boards with any pieces anywhere.
    fn positions(random: &mut Random) -> Vec<Self> {
        let ruleset = find_ruleset("reversi/standard").expect("it exists");
        let mut positions = Vec::new();
        for _ in 0..10 {
            add_random_game(&mut positions, ruleset, random);
            let rarity = 2 + random.below(9);
            let square = |_| match random.below(rarity) {
                0 => 'X',
                1 => 'O',
                _ => '-',
            };
            let board: String = (0..64).map(square).collect();
            positions.push(Self::from_text(ruleset, &format!("{board} O")).expect("well formed"));
        }
        positions
    }

    /// Square by square: 0 nothing, 1 an own piece, 2 the other's.
    fn plain_rows(&self) -> Vec<usize> {
        let text = self.text();
        let letters: Vec<char> = text.chars().collect();
        let holds = |&(column, row): &Square| match letters[8 * row + column] {
            '-' => 0,
            letter if letter == letters[65] => 1,
            _ => 2,
        };
        let (patterns, first) = &*ALL;
        let mut rows = Vec::new();
        for pattern in patterns {
            for squares in &pattern.occurrences {
                let digits = squares.iter().rev();
                let configuration = digits.fold(0, |sum, square| 3 * sum + holds(square));
                rows.push(pattern.rows[configuration]);
            }
        }
        let moves = |position: &Self| {
            let moves = position.legal_moves();
            let put = moves.iter().filter(|mv| !matches!(mv, Move::Pass));
            put.count().min(31)
        };
        let other = if letters[65] == 'X' { 'O' } else { 'X' };
        let other = Self::from_text(self.ruleset(), &format!("{} {other}", &text[..64]));
        rows.push(first + moves(self));
        rows.push(first + 32 + moves(&other.expect("well formed")));
        rows.push(first + 64 + text.matches('-').count());
        rows
    }

    fn plain_stage(&self) -> usize {
        match self.counts().iter().sum::<u32>() as usize {
            0..8 => 0,
            pieces @ 8..60 => pieces / 4 - 1,
            _ => 14,
        }
    }

    fn exchanged(&self) -> Self {
        with_letters_exchanged(self)
    }
}
