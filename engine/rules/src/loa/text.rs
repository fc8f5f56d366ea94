//! Position text and move text, reading and writing.

use super::{LineCounts, Loa, Move};
use crate::Side;
use crate::board8::{Point, Square};
use crate::wording::{quoted, read_number};

/// The start position: Black on the first and last row, White on the outer columns.
pub const START: &str = "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x";

/// Moves by both sides together after which a game is a tie, unless the text says otherwise.
const DEFAULT_LIMIT: u32 = 60;

/// Ends the text of a position that was set up and would be the end of a game, but is judged
/// only after the next move.
const SET_UP: &str = "set";

const EXAMPLE: &str = "such as \"1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x\"";

/// A move as typed: the right shape, but perhaps one that no board allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    Pass,
    FromTo(Point, Point),
}

impl Attempt {
    pub fn as_move(self) -> Option<Move> {
        match self {
            Self::Pass => Some(Move::Pass),
            Self::FromTo(from, to) => Move::between(from.square()?, to.square()?),
        }
    }
}

impl From<Move> for Attempt {
    fn from(mv: Move) -> Self {
        match mv {
            Move::Pass => Self::Pass,
            Move::Step { from, to } => Self::FromTo(from.into(), to.into()),
        }
    }
}

/// Reads a move as people type it: `b1-d3`, `b1d3`, `b1xd3`, and `-` for a pass, in either case.
pub fn read_attempt(text: &str) -> Result<Attempt, String> {
    let lower = text.trim().to_ascii_lowercase();
    let attempt = match *lower.as_bytes() {
        [b'-'] | [b'0', b'0', b'0', b'0'] => Some(Attempt::Pass),
        _ if lower == "pass" => Some(Attempt::Pass),
        [c0, r0, c1, r1] | [c0, r0, b'-' | b'x', c1, r1] => Point::read(c0, r0)
            .zip(Point::read(c1, r1))
            .map(|(from, to)| Attempt::FromTo(from, to)),
        _ => None,
    };
    attempt.ok_or_else(|| {
        format!(
            "{} is not a move. A move is two squares (b1-d3), or - for a pass.",
            quoted(text)
        )
    })
}

/// Reads the canonical text of a move and nothing else.
pub fn read_move(text: &str) -> Result<Move, String> {
    read_attempt(text)?
        .as_move()
        .filter(|mv| mv.to_string() == text)
        .ok_or_else(|| {
            format!(
                "{} is not the canonical text of a move: two different squares of one line from a1 \
                 to h8 (b1-d3), or - for a pass.",
                quoted(text)
            )
        })
}

/// How players' game records write a move: `b1xd3` for a capture.
pub fn pgn(position: &Loa, mv: Move) -> String {
    match mv {
        Move::Step { from, to } if position.pieces(position.turn.opponent()) & to.bit() != 0 => {
            format!("{from}x{to}")
        }
        _ => mv.to_string(),
    }
}

/// Reads position text: the board, the side to move, and perhaps moves made, move limit and `set`.
pub fn read_position(text: &str) -> Result<Loa, String> {
    let fields: Vec<&str> = text.split(' ').collect();
    let (board, turn, moves, limit, set_up) = match fields[..] {
        [board, turn] => (board, turn, "0", None, false),
        [board, turn, moves, limit] => (board, turn, moves, Some(limit), false),
        [board, turn, moves, limit, SET_UP] => (board, turn, moves, Some(limit), true),
        _ => {
            return Err(format!(
                "Position text has 2 fields with one blank between them (board, side to move), \
                 {EXAMPLE}, or 4 (moves made by both sides together, moves that make a tie), and \
                 perhaps {SET_UP} as the 5th; {} has {}.",
                quoted(text),
                fields.len()
            ));
        }
    };
    let pieces = read_board(board)?;
    let turn = match turn {
        "x" => Side::First,
        "o" => Side::Second,
        _ => {
            return Err(format!("The side to move is x or o, not {}.", quoted(turn)));
        }
    };
    let limit = match limit {
        None => DEFAULT_LIMIT,
        Some(text) => read_number(text)
            .filter(|&limit| limit > 0)
            .ok_or_else(|| {
                format!(
                    "The moves that make a tie are a whole number from 1, not {}.",
                    quoted(text)
                )
            })?,
    };
    let moves = read_number(moves)
        .filter(|&moves| moves <= limit)
        .ok_or_else(|| {
            format!(
                "The moves made are a number from 0 to {limit}, where the game is a tie; not {}.",
                quoted(moves)
            )
        })?;
    let mut position = Loa {
        pieces,
        counts: LineCounts::of(pieces[0] | pieces[1]),
        turn,
        moves,
        limit,
        unjudged: false,
    };
    position.unjudged = set_up && position.would_be_over();
    Ok(position)
}

fn read_board(board: &str) -> Result<[u64; 2], String> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        return Err(format!(
            "The board has 8 rows with / between them, row 8 first, {EXAMPLE}; {} has {}.",
            quoted(board),
            ranks.len()
        ));
    }
    let mut pieces = [0; 2];
    for (rank, row) in ranks.into_iter().zip((0..8).rev()) {
        let mut column: u8 = 0;
        for c in rank.chars() {
            let side = match c {
                '1'..='8' => {
                    column = column.saturating_add(c as u8 - b'0');
                    continue;
                }
                'x' => 0,
                'o' => 1,
                _ => {
                    return Err(format!(
                        "Row {}, column {}: '{}' stands where x, o or a number of empty squares \
                         from 1 to 8 is expected.",
                        row + 1,
                        char::from(b'a' + column.min(25)),
                        c.escape_debug()
                    ));
                }
            };
            if let Some(square) = Square::new(column, row) {
                pieces[side] |= square.bit();
            }
            column = column.saturating_add(1);
        }
        if column != 8 {
            let fault = if column < 8 {
                format!("only {column}")
            } else {
                "more than 8".to_owned()
            };
            return Err(format!(
                "Row {} ({}) has {fault} squares; every row has 8, a to h.",
                row + 1,
                quoted(rank)
            ));
        }
    }
    Ok(pieces)
}

/// The canonical text of a position; counters that are as at the start are left out.
pub fn write_position(position: &Loa) -> String {
    let mut board = String::with_capacity(72);
    for row in rows(position) {
        if !board.is_empty() {
            board.push('/');
        }
        let mut gap = 0;
        for c in row.chars().chain(['|']) {
            if c == '.' {
                gap += 1;
                continue;
            }
            if gap > 0 {
                board.push_str(&gap.to_string());
                gap = 0;
            }
            if c != '|' {
                board.push(c);
            }
        }
    }
    let turn = match position.turn {
        Side::First => 'x',
        Side::Second => 'o',
    };
    if position.unjudged {
        format!(
            "{board} {turn} {} {} {SET_UP}",
            position.moves, position.limit
        )
    } else if (position.moves, position.limit) == (0, DEFAULT_LIMIT) {
        format!("{board} {turn}")
    } else {
        format!("{board} {turn} {} {}", position.moves, position.limit)
    }
}

/// The board for people: row 8 first; `x` (Black), `o` (White) and `.` for empty.
pub fn rows(position: &Loa) -> Vec<String> {
    let letter = |bit: u64| match bit {
        _ if position.pieces[0] & bit != 0 => 'x',
        _ if position.pieces[1] & bit != 0 => 'o',
        _ => '.',
    };
    (0..8)
        .rev()
        .map(|row| {
            (0..8)
                .map(|column| letter(1 << (8 * column + row)))
                .collect()
        })
        .collect()
}
