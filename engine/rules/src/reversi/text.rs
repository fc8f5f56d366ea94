//! Position text in both forms, and move text.
//!
//! The canonical text is 64 characters, a1 to h1 first, then the side to move; it is what
//! Edax and most test suites of the game use. The other form is that of the COMP24011
//! laboratory: rows between bars, in `{}` with White to move and in `[]` with Black.

use super::{Move, Reversi};
use crate::Side;
use crate::board8::{Point, Square};
use crate::wording::quoted;

/// The start position: White on d4 and e5, Black on e4 and d5, Black to move.
pub const START: &str = "---------------------------OX------XO--------------------------- X";

const FORMS: &str = "64 characters X, O or - (a1 to h1 first) and the side to move, such as \
     \"---------------------------OX------XO--------------------------- X\", or rows of w, b and . \
     between bars, in {} with White to move and in [] with Black";

/// A move as typed: the right shape, but perhaps one that no board allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    Pass,
    To(Point),
}

impl Attempt {
    pub fn as_move(self) -> Option<Move> {
        match self {
            Self::Pass => Some(Move::Pass),
            Self::To(point) => point.square().map(|to| Move::Place { to }),
        }
    }
}

impl From<Move> for Attempt {
    fn from(mv: Move) -> Self {
        match mv {
            Move::Pass => Self::Pass,
            Move::Place { to } => Self::To(to.into()),
        }
    }
}

/// How squares are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `d3`, and `--` for a pass.
    Squares,
    /// The laboratory's `(3,2)`, and `(-1,-1)` for a pass.
    Coordinates,
}

impl Style {
    /// The style of a move as it was typed.
    pub fn of(text: &str) -> Self {
        if text.contains(',') {
            Self::Coordinates
        } else {
            Self::Squares
        }
    }

    pub fn point(self, point: Point) -> String {
        match self {
            Self::Squares => point.to_string(),
            Self::Coordinates => format!("({},{})", point.column, point.row),
        }
    }

    pub fn square(self, square: Square) -> String {
        self.point(square.into())
    }

    pub const fn pass(self) -> &'static str {
        match self {
            Self::Squares => "--",
            Self::Coordinates => "(-1,-1)",
        }
    }
}

/// Reads a move as people type it: `d3`, `(3,2)`, `3,2`, and a pass as `--`, `-`, `pa`, `pass`,
/// `skip`, `0000` or `(-1,-1)`, in either case.
pub fn read_attempt(text: &str) -> Result<Attempt, String> {
    let lower: String = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_ascii_lowercase())
        .collect();
    let attempt = match lower.as_str() {
        "-" | "--" | "pa" | "pass" | "skip" | "0000" => Some(Attempt::Pass),
        _ => match *lower.as_bytes() {
            [letter, digit] => Point::read(letter, digit).map(Attempt::To),
            _ => read_coordinates(&lower),
        },
    };
    attempt.ok_or_else(|| {
        format!(
            "{} is not a move. A move is a square, d3 or (3,2) with x and y from 0 at the top \
             left, or a pass, -- or (-1,-1).",
            quoted(text)
        )
    })
}

fn read_coordinates(text: &str) -> Option<Attempt> {
    let inner = match text.strip_prefix('(') {
        Some(rest) => rest.strip_suffix(')')?,
        None => text,
    };
    let (x, y) = inner.split_once(',')?;
    if (x, y) == ("-1", "-1") {
        return Some(Attempt::Pass);
    }
    match (x.as_bytes(), y.as_bytes()) {
        (&[x @ b'0'..=b'9'], &[y @ b'0'..=b'9']) => Some(Attempt::To(Point {
            column: x - b'0',
            row: y - b'0',
        })),
        _ => None,
    }
}

/// Reads the canonical text of a move and nothing else.
pub fn read_move(text: &str) -> Result<Move, String> {
    read_attempt(text)?
        .as_move()
        .filter(|mv| mv.to_string() == text)
        .ok_or_else(|| {
            format!(
                "{} is not the canonical text of a move: a square from a1 to h8 (d3), or -- for a \
                 pass.",
                quoted(text)
            )
        })
}

/// The laboratory's way to write a move: `(x,y)` from the top left, `(-1,-1)` for a pass.
pub fn laboratory_move(mv: Move) -> String {
    match mv {
        Move::Place { to } => Style::Coordinates.square(to),
        Move::Pass => Style::Coordinates.pass().to_owned(),
    }
}

/// Reads position text in either form; blanks do not matter, and an empty text is the start.
pub fn read_position(text: &str) -> Result<Reversi, String> {
    let chars: Vec<char> = text.chars().filter(|c| !c.is_whitespace()).collect();
    match *chars.as_slice() {
        [] => read_position(START),
        ['{', ref rows @ .., '}'] => read_laboratory(rows, Side::Second),
        ['[', ref rows @ .., ']'] => read_laboratory(rows, Side::First),
        [open @ ('{' | '['), ..] => Err(format!(
            "The position begins with {open} but does not end with {}.",
            if open == '{' { '}' } else { ']' }
        )),
        _ => read_flat(text, &chars),
    }
}

fn read_flat(text: &str, chars: &[char]) -> Result<Reversi, String> {
    let mut position = empty();
    if chars.len() != 65 {
        return Err(format!(
            "Position text is {FORMS}; {} has {} characters.",
            quoted(text),
            chars.len()
        ));
    }
    for (index, &c) in chars[..64].iter().enumerate() {
        let (column, row) = (index as u8 % 8, index as u8 / 8);
        let square = Square::new(column, row).expect("there are 64 squares");
        match c {
            'X' | 'x' => position.pieces[0] |= square.bit(),
            'O' | 'o' => position.pieces[1] |= square.bit(),
            '-' | '.' => {}
            _ => {
                return Err(format!(
                    "Square {square} (character {}): '{}' stands where X, O or - is expected.",
                    index + 1,
                    c.escape_debug()
                ));
            }
        }
    }
    position.turn = match chars[64] {
        'X' | 'x' => Side::First,
        'O' | 'o' => Side::Second,
        other => {
            return Err(format!(
                "The side to move is X or O, not '{}'.",
                other.escape_debug()
            ));
        }
    };
    Ok(position)
}

/// Rows between bars; short rows, and rows that are missing at the end, are empty there.
fn read_laboratory(chars: &[char], turn: Side) -> Result<Reversi, String> {
    let mut position = empty();
    position.turn = turn;
    for (row, line) in chars.split(|&c| c == '|').enumerate() {
        if row >= 8 {
            return Err("The board has 8 rows with | between them; there are more.".to_owned());
        }
        if line.len() > 8 {
            return Err(format!(
                "Row {} (y = {row}) has {} squares; a row has at most 8.",
                row + 1,
                line.len()
            ));
        }
        for (column, &c) in line.iter().enumerate() {
            let square = Square::new(column as u8, row as u8).expect("both are below 8");
            match c {
                'b' => position.pieces[0] |= square.bit(),
                'w' => position.pieces[1] |= square.bit(),
                '.' => {}
                _ => {
                    return Err(format!(
                        "({column},{row}): '{}' stands where w, b or . is expected.",
                        c.escape_debug()
                    ));
                }
            }
        }
    }
    Ok(position)
}

const fn empty() -> Reversi {
    Reversi {
        pieces: [0; 2],
        turn: Side::First,
    }
}

/// The canonical text of a position.
pub fn write_position(position: &Reversi) -> String {
    let board: String = rows(position)
        .concat()
        .chars()
        .map(|c| match c {
            'x' => 'X',
            'o' => 'O',
            _ => '-',
        })
        .collect();
    let turn = match position.turn {
        Side::First => 'X',
        Side::Second => 'O',
    };
    format!("{board} {turn}")
}

/// The board for people: row 1 first; `x` (Black), `o` (White) and `.` for empty.
pub fn rows(position: &Reversi) -> Vec<String> {
    let letter = |bit: u64| match bit {
        _ if position.pieces[0] & bit != 0 => 'x',
        _ if position.pieces[1] & bit != 0 => 'o',
        _ => '.',
    };
    (0..8)
        .map(|row| {
            (0..8)
                .map(|column| letter(1 << (8 * column + row)))
                .collect()
        })
        .collect()
}
