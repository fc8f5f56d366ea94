//! Clobber on six columns and five rows.
//!
//! Squares are those of [`board8`](crate::board8), at its corner a1. A piece takes a piece of the
//! opponent that stands next to it, in its row or column. Whoever cannot move has lost.

use std::fmt;

use crate::board8::{Square, squares};
use crate::hash::mix;
use crate::wording::{either, quoted};
use crate::{Outcome, Position, RulesError, Ruleset, Side};

/// The squares a1 to f5.
const BOARD: u64 = 0x1f1f_1f1f_1f1f;
const COLUMNS: u8 = 6;
const ROWS: u8 = 5;
const START: &str = "xoxoxo/oxoxox/xoxoxo/oxoxox/xoxoxo x";

static RULESETS: [Ruleset; 1] = [Ruleset {
    id: "clobber/6x5",
    game: "clobber",
    title: "Clobber",
    side_names: ["Black", "White"],
    description: "A piece takes a piece of the opponent next to it, in its row or column. There \
                  are no other moves, and whoever cannot move loses.",
}];

/// A Clobber position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Clobber {
    pieces: [u64; 2],
    turn: Side,
}

impl Clobber {
    /// The pieces of the side to move, and of the other.
    #[inline]
    pub const fn own_and_other(&self) -> (u64, u64) {
        let us = self.turn.index();
        (self.pieces[us], self.pieces[1 - us])
    }

    fn is_over(&self) -> bool {
        let (own, other) = self.own_and_other();
        neighbours(own) & other == 0
    }

    fn content(&self, square: Square) -> char {
        match self.pieces.map(|set| set & square.bit() != 0) {
            [true, _] => 'x',
            [_, true] => 'o',
            _ => '.',
        }
    }
}

/// The squares beside a set, in rows and columns.
#[inline]
pub const fn neighbours(set: u64) -> u64 {
    // What runs over an edge lands beside the board.
    (set << 1 | set >> 1 | set << 8 | set >> 8) & BOARD
}

/// A move; its text is `a1-b1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    from: Square,
    to: Square,
}

impl From<Move> for u64 {
    fn from(mv: Move) -> Self {
        (mv.from.index() << 6 | mv.to.index()) as u64
    }
}

impl TryFrom<u64> for Move {
    type Error = ();

    fn try_from(code: u64) -> Result<Self, ()> {
        let square = |bits: u64| Square::from_index((bits & 63) as usize);
        let (from, to) = (square(code >> 6), square(code));
        let on_board = (from.bit() | to.bit()) & !BOARD == 0;
        (code < 1 << 12 && on_board)
            .then_some(Self { from, to })
            .ok_or(())
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

fn read_square(letter: u8, digit: u8) -> Option<Square> {
    Square::new(letter.wrapping_sub(b'a'), digit.wrapping_sub(b'1'))
        .filter(|square| square.bit() & BOARD != 0)
}

/// Reads a move as people type it: `a1-b1`, `a1xb1` or `a1b1`, in either case.
fn read_move(text: &str) -> Result<Move, String> {
    let squares = match *text.trim().to_ascii_lowercase().as_bytes() {
        [a, b, b'-' | b'x', c, d] | [a, b, c, d] => read_square(a, b).zip(read_square(c, d)),
        _ => None,
    };
    let (from, to) = squares.ok_or_else(|| {
        format!(
            "{} is not a move. A move is two squares, a1-b1; columns are a to f and rows 1 to 5.",
            quoted(text)
        )
    })?;
    Ok(Move { from, to })
}

fn read_position(text: &str) -> Result<Clobber, String> {
    let form = || {
        format!(
            "Position text is five rows of x, o and ., row 5 first, with / between them, and the \
             side to move, such as \"{START}\"; this is {}.",
            quoted(text)
        )
    };
    let (board, turn) = text.trim().split_once(' ').ok_or_else(form)?;
    let rows: Vec<Vec<char>> = board.split('/').map(|row| row.chars().collect()).collect();
    if rows.len() != usize::from(ROWS) || rows.iter().any(|row| row.len() != usize::from(COLUMNS)) {
        return Err(form());
    }
    let mut pieces = [0; 2];
    for (row, line) in (0..ROWS).rev().zip(rows) {
        for (column, content) in (0..COLUMNS).zip(line) {
            let square = Square::new(column, row).expect("it is on the board");
            match content {
                'x' => pieces[0] |= square.bit(),
                'o' => pieces[1] |= square.bit(),
                '.' => {}
                _ => {
                    return Err(format!(
                        "{square}: '{}' stands where x, o or . is expected.",
                        content.escape_debug()
                    ));
                }
            }
        }
    }
    let turn = match turn {
        "x" => Side::First,
        "o" => Side::Second,
        _ => return Err(format!("The side to move is x or o, not {}.", quoted(turn))),
    };
    Ok(Clobber { pieces, turn })
}

impl Position for Clobber {
    type Move = Move;

    const GAME: &'static str = "clobber";
    const RULESETS: &'static [Ruleset] = &RULESETS;
    const NOTATIONS: &'static [&'static str] = &[];

    fn start(_ruleset: &'static Ruleset) -> Self {
        read_position(START).expect("the start position is valid")
    }

    fn from_text(_ruleset: &'static Ruleset, text: &str) -> Result<Self, RulesError> {
        read_position(text).map_err(RulesError::InvalidPosition)
    }

    fn ruleset(&self) -> &'static Ruleset {
        &RULESETS[0]
    }

    fn text(&self) -> String {
        format!(
            "{} {}",
            self.rows().join("/"),
            ["x", "o"][self.turn.index()]
        )
    }

    fn rows(&self) -> Vec<String> {
        let content = |column, row| self.content(Square::new(column, row).expect("on the board"));
        (0..ROWS)
            .rev()
            .map(|row| (0..COLUMNS).map(|column| content(column, row)).collect())
            .collect()
    }

    fn counts(&self) -> [u32; 2] {
        self.pieces.map(u64::count_ones)
    }

    fn turn(&self) -> Side {
        self.turn
    }

    fn key(&self) -> u64 {
        mix(mix(self.turn as u64, self.pieces[0]), self.pieces[1])
    }

    fn outcome(&self) -> Option<Outcome> {
        self.is_over().then(|| Outcome {
            termination: "no-moves",
            winner: Some(self.turn.opponent()),
        })
    }

    #[inline]
    fn for_each_move(&self, mut visit: impl FnMut(Move)) {
        let (own, other) = self.own_and_other();
        for from in squares(own & neighbours(other)) {
            for to in squares(neighbours(from.bit()) & other) {
                visit(Move { from, to });
            }
        }
    }

    fn play_unchecked(&self, Move { from, to }: Move) -> Self {
        let mut next = self.clone();
        let us = self.turn.index();
        next.pieces[us] = self.pieces[us] & !from.bit() | to.bit();
        next.pieces[1 - us] &= !to.bit();
        next.turn = self.turn.opponent();
        next
    }

    fn explain_illegal(&self, mv: Move) -> String {
        let from = mv.from;
        let (own, other) = self.own_and_other();
        let name = |side: Side| RULESETS[0].side_names[side.index()];
        let (mover, opponent) = (name(self.turn), name(self.turn.opponent()));
        let taken: Vec<_> = squares(neighbours(from.bit()) & other)
            .map(|to| to.to_string())
            .collect();
        let why = if self.is_over() {
            format!("the game is over, {opponent} won ({mover} cannot move)")
        } else if other & from.bit() != 0 {
            format!("{from} holds a piece of {opponent}, and it is {mover}'s turn")
        } else if own & from.bit() == 0 {
            format!("{from} is empty")
        } else if taken.is_empty() {
            format!("no piece of {opponent} stands beside {from}")
        } else {
            format!("from {from} you can take {}", either(&taken))
        };
        format!("{mv} is not legal: {why}.")
    }

    fn move_text(mv: Move) -> String {
        mv.to_string()
    }

    fn move_squares(mv: Move) -> Vec<String> {
        vec![mv.from.to_string(), mv.to.to_string()]
    }

    fn move_from_text(text: &str) -> Result<Move, RulesError> {
        let mv = read_move(text).map_err(RulesError::InvalidMove)?;
        (mv.to_string() == text).then_some(mv).ok_or_else(|| {
            RulesError::InvalidMove(format!(
                "{} is not the canonical text of a move, such as a1-b1.",
                quoted(text)
            ))
        })
    }

    fn parse_move(&self, text: &str) -> Result<Move, RulesError> {
        let mv = read_move(text).map_err(RulesError::InvalidMove)?;
        self.is_legal(mv)
            .then_some(mv)
            .ok_or_else(|| RulesError::IllegalMove(self.explain_illegal(mv)))
    }

    fn format_move(&self, _mv: Move, _notation: &str) -> Option<String> {
        None
    }
}
