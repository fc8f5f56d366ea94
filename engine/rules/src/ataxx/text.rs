//! Position text (the FEN of UAI) and move text, reading and writing.

use super::{Ataxx, Move, NEIGHBOURS, Rules, Square, squares, zobrist};
use crate::Side;
use crate::wording::{quoted, read_number};

/// The start position of every ruleset.
pub const START: &str = "x5o/7/7/7/7/7/o5x x 0 1";

const EXAMPLE: &str = "such as \"x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1\"";

/// A square as typed: any letter and digit, perhaps off the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    pub column: u8,
    pub row: u8,
}

impl Point {
    pub const fn square(self) -> Option<Square> {
        Square::new(self.column, self.row)
    }
}

impl From<Square> for Point {
    fn from(square: Square) -> Self {
        Self {
            column: square.column(),
            row: square.row(),
        }
    }
}

impl std::fmt::Display for Point {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let column = char::from(b'a' + self.column);
        // Row numbers start at 1, so a typed 0 wraps around to 255.
        write!(f, "{column}{}", self.row.wrapping_add(1))
    }
}

/// A move as typed: the right shape, but perhaps one that no board allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Attempt {
    Pass,
    To(Point),
    FromTo(Point, Point),
}

impl Attempt {
    /// The move meant, if its shape can be one: a step from an own piece is a clone.
    pub fn as_move(self, own: u64) -> Option<Move> {
        match self {
            Self::Pass => Some(Move::Pass),
            Self::To(to) => Some(Move::Clone { to: to.square()? }),
            Self::FromTo(from, to) => {
                let (from, to) = (from.square()?, to.square()?);
                if NEIGHBOURS[from.index()] & to.bit() == 0 {
                    jump(from, to)
                } else if own & from.bit() != 0 {
                    Some(Move::Clone { to })
                } else {
                    None
                }
            }
        }
    }
}

impl From<Move> for Attempt {
    fn from(mv: Move) -> Self {
        match mv {
            Move::Pass => Self::Pass,
            Move::Clone { to } => Self::To(to.into()),
            Move::Jump { from, to } => Self::FromTo(from.into(), to.into()),
        }
    }
}

fn jump(from: Square, to: Square) -> Option<Move> {
    // The move's code knows which pairs of squares are a jump apart.
    let code = (from.index() << 8 | to.index()) as u64;
    Move::try_from(code).ok().filter(|_| from != to)
}

/// Reads a move as people type it: `g2`, `a7a5`, `a7-b6`, `-`, `0000`, in either case.
pub fn read_attempt(text: &str) -> Result<Attempt, String> {
    let lower = text.trim().to_ascii_lowercase();
    let point = |column: u8, row: u8| {
        (column.is_ascii_lowercase() && row.is_ascii_digit()).then(|| Point {
            column: column - b'a',
            row: (row - b'0').wrapping_sub(1),
        })
    };
    let attempt = match *lower.as_bytes() {
        [b'-'] | [b'0', b'0', b'0', b'0'] => Some(Attempt::Pass),
        [c, r] => point(c, r).map(Attempt::To),
        [c0, r0, c1, r1] | [c0, r0, b'-', c1, r1] => point(c0, r0)
            .zip(point(c1, r1))
            .map(|(from, to)| Attempt::FromTo(from, to)),
        _ => None,
    };
    attempt.ok_or_else(|| {
        format!(
            "{} is not a move. A move is two squares (a7-a5 or a7a5), the target alone when a \
             piece is cloned (g2), or - (0000) for a pass.",
            quoted(text)
        )
    })
}

/// Reads the canonical text of a move and nothing else.
pub fn read_move(text: &str) -> Result<Move, String> {
    read_attempt(text)?
        .as_move(0)
        .filter(|mv| mv.to_string() == text)
        .ok_or_else(|| {
            format!(
                "{} is not the canonical text of a move. A clone is its target (g2), a jump two \
                 squares exactly two columns or rows apart (a7a5), a pass 0000.",
                quoted(text)
            )
        })
}

/// The course notation: `a7-b6`, with the first own neighbour as the source of a clone; `-`.
pub fn cs61b(position: &Ataxx, mv: Move) -> String {
    match mv {
        Move::Pass => "-".to_owned(),
        Move::Jump { from, to } => format!("{from}-{to}"),
        Move::Clone { to } => {
            let own = position.pieces[position.turn.index()];
            match squares(NEIGHBOURS[to.index()] & own).next() {
                Some(from) => format!("{from}-{to}"),
                None => to.to_string(),
            }
        }
    }
}

/// Reads position text; the error names field, rank and column.
pub fn read_position(rules: Rules, text: &str) -> Result<Ataxx, String> {
    let fields: Vec<&str> = text.split(' ').collect();
    let [board, turn, clock, fullmove] = fields[..] else {
        return Err(format!(
            "Position text has 4 fields with one blank between them (board, side to move, halfmove \
             clock, move number), {EXAMPLE}; {} has {}.",
            quoted(text),
            fields.len()
        ));
    };
    let mut position = read_board(board)?;
    position.rules = rules;
    position.turn = match turn {
        "x" => Side::First,
        "o" => Side::Second,
        _ => {
            return Err(format!("The side to move is x or o, not {}.", quoted(turn)));
        }
    };
    let limit = rules.clock_limit();
    position.clock = read_number(clock)
        .filter(|&clock| clock <= u32::from(limit))
        .ok_or_else(|| {
            format!(
                "The halfmove clock is a number from 0 to {limit}, where {} ends the game; not {}.",
                rules.ruleset().id,
                quoted(clock)
            )
        })? as u8;
    position.fullmove = read_number(fullmove)
        .filter(|&number| number > 0)
        .ok_or_else(|| {
            format!(
                "The move number is a whole number from 1, not {}.",
                quoted(fullmove)
            )
        })?;
    position.board_key = full_key(&position);
    Ok(position)
}

fn read_board(board: &str) -> Result<Ataxx, String> {
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 7 {
        return Err(format!(
            "The board has 7 ranks with / between them, rank 7 first, {EXAMPLE}; {} has {}.",
            quoted(board),
            ranks.len()
        ));
    }
    let mut position = Ataxx {
        pieces: [0; 2],
        blocks: 0,
        board_key: 0,
        turn: Side::First,
        rules: Rules::Cs61b,
        clock: 0,
        fullmove: 1,
    };
    for (rank, row) in ranks.into_iter().zip((0..7).rev()) {
        let mut column = 0;
        for c in rank.chars() {
            let set = match c {
                '1'..='7' => {
                    column += c as u8 - b'0';
                    continue;
                }
                'x' => &mut position.pieces[0],
                'o' => &mut position.pieces[1],
                '-' => &mut position.blocks,
                _ => {
                    return Err(format!(
                        "Rank {}, column {}: '{}' stands where x, o, - (a block) or a number of \
                         empty squares from 1 to 7 is expected.",
                        row + 1,
                        char::from(b'a' + column.min(25)),
                        c.escape_debug()
                    ));
                }
            };
            if let Some(square) = Square::new(column, row) {
                *set |= square.bit();
            }
            column = column.saturating_add(1);
            if column > 7 {
                break;
            }
        }
        if column != 7 {
            let fault = if column < 7 { "only " } else { "more than 7" };
            let number = if column < 7 {
                column.to_string()
            } else {
                String::new()
            };
            return Err(format!(
                "Rank {} ({}) has {fault}{number} squares; every rank has 7, a to g.",
                row + 1,
                quoted(rank)
            ));
        }
    }
    Ok(position)
}

fn full_key(position: &Ataxx) -> u64 {
    let mut key = zobrist::rules(position.rules as u8);
    for side in [Side::First, Side::Second] {
        for square in squares(position.pieces(side)) {
            key ^= zobrist::piece(side.index(), square);
        }
    }
    for square in squares(position.blocks) {
        key ^= zobrist::block(square);
    }
    if position.turn == Side::Second {
        key ^= zobrist::SIDE;
    }
    key
}

/// The canonical text of a position.
pub fn write_position(position: &Ataxx) -> String {
    let mut board = String::with_capacity(64);
    for row in rows(position) {
        if !board.is_empty() {
            board.push('/');
        }
        let mut gap = 0;
        for c in row.chars() {
            if c == '.' {
                gap += 1;
                continue;
            }
            if gap > 0 {
                board.push_str(&gap.to_string());
                gap = 0;
            }
            board.push(if c == '#' { '-' } else { c });
        }
        if gap > 0 {
            board.push_str(&gap.to_string());
        }
    }
    let turn = match position.turn {
        Side::First => 'x',
        Side::Second => 'o',
    };
    format!("{board} {turn} {} {}", position.clock, position.fullmove)
}

/// The board for people: row 7 first; `x`, `o`, `.` for empty, `#` for a block.
pub fn rows(position: &Ataxx) -> Vec<String> {
    let letter = |bit: u64| match bit {
        _ if position.pieces[0] & bit != 0 => 'x',
        _ if position.pieces[1] & bit != 0 => 'o',
        _ if position.blocks & bit != 0 => '#',
        _ => '.',
    };
    (0..7)
        .rev()
        .map(|row| {
            (0..7)
                .map(|column| letter(1 << (8 * row + column)))
                .collect()
        })
        .collect()
}
