//! Position text (the FEN of PDN) and move text, reading and writing.
//!
//! Under `checkers/acf` two fields may follow the board: `H` and the plies since the last
//! capture or man's move, as other programs write it, and `M` and the last of those moves,
//! from which the positions that may be repeated are known.

use super::board::{Direction, Square, squares};
use super::draws::{History, PLY_LIMIT};
use super::{BOTTOM_ROW, Checkers, Move, Rules, TOP_ROW};
use crate::wording::{quoted, read_number};
use crate::{Position, Side};

/// The start position: Black on 1 to 12, White on 21 to 32.
pub const START: &str = "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12";

const EXAMPLE: &str = "such as \"W:W18,K30:B7,8,K15\"";

/// Reads a move as people type it: two or more square numbers with `-` or `x` between them.
pub fn read_path(text: &str) -> Result<Vec<Square>, String> {
    let numbers = text.trim().split(['-', 'x', 'X']);
    let path: Option<Vec<Square>> = numbers
        .map(|number| Square::from_number(read_square(number)?))
        .collect();
    match path {
        Some(path) if (2..=10).contains(&path.len()) => Ok(path),
        _ => Err(format!(
            "{} is not a move. A move is two or more squares from 1 to 32 with - or x between \
             them: 11-15, or 18x11x2 for two jumps.",
            quoted(text)
        )),
    }
}

/// A number of one or two digits that does not begin with 0.
fn read_square(text: &str) -> Option<u32> {
    let plain = !text.is_empty() && text.len() <= 2 && !text.starts_with('0');
    plain.then(|| read_number(text))?
}

/// Reads the canonical text of a move and nothing else.
pub fn read_move(text: &str) -> Result<Move, String> {
    Move::along(&read_path(text)?)
        .ok()
        .filter(|mv| mv.to_string() == text)
        .ok_or_else(|| {
            format!(
                "{} is not the canonical text of a move: a step to a neighbour (11-15), or jumps \
                 with every square on the way (18x11x2).",
                quoted(text)
            )
        })
}

/// The only legal move that begins and ends as a path and passes its squares in order.
pub fn abbreviated(position: &Checkers, path: &[Square]) -> Option<Move> {
    let mut fitting = position
        .legal_moves()
        .into_iter()
        .filter(|mv| fits(mv, path));
    let only = fitting.next()?;
    fitting.next().is_none().then_some(only)
}

fn fits(mv: &Move, path: &[Square]) -> bool {
    let full = mv.path();
    let mut rest = full[1..full.len() - 1].iter();
    full[0] == path[0]
        && mv.to() == path[path.len() - 1]
        && path[1..path.len() - 1]
            .iter()
            .all(|square| rest.any(|other| other == square))
}

/// As PDN has it: `22x8`, with the squares between only where another move would fit as well.
///
/// The course rules take no move without them, so none is written.
pub fn pdn(position: &Checkers, mv: Move) -> String {
    let ends = [mv.from(), mv.to()];
    if position.rules == Rules::Acf && mv.jumps() > 0 && abbreviated(position, &ends) == Some(mv) {
        format!("{}x{}", ends[0], ends[1])
    } else {
        mv.to_string()
    }
}

/// Reads position text; the error names the place and what was expected there.
pub fn read_position(rules: Rules, text: &str) -> Result<Checkers, String> {
    let fields: Vec<&str> = text.split(':').collect();
    let [turn, one, two, ref counters @ ..] = fields[..] else {
        return Err(format!(
            "Position text has 3 fields with : between them (side to move, the pieces of both \
             sides), {EXAMPLE}; {} has {}.",
            quoted(text),
            fields.len()
        ));
    };
    let mut position = Checkers {
        pieces: [0; 2],
        kings: 0,
        turn: Side::First,
        rules,
        history: History::unknown(0),
    };
    position.turn =
        side(turn).ok_or_else(|| format!("The side to move is B or W, not {}.", quoted(turn)))?;
    let mut seen = None;
    for pieces in [one, two] {
        let letter = pieces.get(..1).and_then(side).ok_or_else(|| {
            format!(
                "The pieces of a side begin with its letter, B or W, {EXAMPLE}; not {}.",
                quoted(pieces)
            )
        })?;
        if seen == Some(letter) {
            let other = if letter == Side::First { 'W' } else { 'B' };
            return Err(format!("The pieces of {other} are missing, {EXAMPLE}."));
        }
        seen = Some(letter);
        read_pieces(&mut position, letter, &pieces[1..])?;
    }
    read_counters(position, counters)
}

fn side(text: &str) -> Option<Side> {
    match text {
        "B" => Some(Side::First),
        "W" => Some(Side::Second),
        _ => None,
    }
}

/// Numbers with commas between them, each a man or with K a king, or a range of either.
fn read_pieces(position: &mut Checkers, side: Side, text: &str) -> Result<(), String> {
    let name = position.side_name(side);
    if text.is_empty() {
        return Ok(());
    }
    for item in text.split(',') {
        let (king, numbers) = match item.strip_prefix('K') {
            Some(rest) => (true, rest),
            None => (false, item),
        };
        let (first, last) = numbers.split_once('-').unwrap_or((numbers, numbers));
        let range = read_square(first)
            .zip(read_square(last))
            .filter(|&(first, last)| first <= last && last <= 32)
            .ok_or_else(|| {
                format!(
                    "{name}'s pieces: {} is not a square from 1 to 32 (K before it for a king), \
                     {EXAMPLE}.",
                    quoted(item)
                )
            })?;
        for square in (range.0..=range.1).filter_map(Square::from_number) {
            let bit = square.bit();
            if (position.pieces[0] | position.pieces[1]) & bit != 0 {
                return Err(format!(
                    "Square {square} is named twice; it holds one piece."
                ));
            }
            if !king && bit & crown_row(side) != 0 {
                return Err(format!(
                    "A man of {name} on {square} would have been crowned; write K{square}."
                ));
            }
            position.pieces[side.index()] |= bit;
            position.kings |= if king { bit } else { 0 };
        }
    }
    match position.pieces[side.index()].count_ones() {
        0..=12 => Ok(()),
        count => Err(format!("{name} has {count} pieces; there are 12 at most.")),
    }
}

const fn crown_row(side: Side) -> u64 {
    match side {
        Side::First => BOTTOM_ROW,
        Side::Second => TOP_ROW,
    }
}

fn read_counters(mut position: Checkers, counters: &[&str]) -> Result<Checkers, String> {
    if counters.is_empty() {
        return Ok(position);
    }
    if position.rules == Rules::Cs61b {
        return Err(format!(
            "{} counts nothing, so the text ends with the pieces; {} is too much.",
            position.rules.ruleset().id,
            quoted(&counters.join(":"))
        ));
    }
    let (plies, moves) = match *counters {
        [plies] => (plies, None),
        [plies, moves] => (plies, Some(moves)),
        _ => {
            return Err(format!(
                "At most two fields follow the pieces (H and M, such as :H2:M1-6,32-28), not {}.",
                counters.len()
            ));
        }
    };
    let number = plies
        .strip_prefix('H')
        .filter(|number| !number.is_empty())
        .and_then(read_number)
        .filter(|&plies| plies <= PLY_LIMIT.into())
        .ok_or_else(|| {
            format!(
                "The plies since the last capture or man's move are H and a number from 0 to \
                 {PLY_LIMIT}, such as H12; not {}.",
                quoted(plies)
            )
        })?;
    position.history = History::unknown(number as u8);
    match moves {
        None => Ok(position),
        Some(moves) => {
            let moves = moves.strip_prefix('M').ok_or_else(|| {
                format!(
                    "The last field is M and moves, such as M1-6,32-28; not {}.",
                    quoted(moves)
                )
            })?;
            replay(position, number as u8, moves)
        }
    }
}

/// Takes the moves back from the position given, and makes them again.
fn replay(end: Checkers, plies: u8, text: &str) -> Result<Checkers, String> {
    let wrong = |number: &str, why: String| {
        format!(
            "The moves since the last change (M): {} {why}.",
            quoted(number)
        )
    };
    let mut moves = Vec::new();
    for item in text.split(',') {
        let mv = read_move(item).map_err(|_| wrong(item, "is not a king's step".to_owned()))?;
        moves.push(mv);
    }
    let unrecorded = usize::from(plies)
        .checked_sub(moves.len())
        .ok_or_else(|| format!("M has {} moves, but H says {plies}.", moves.len()))?;
    let mut position = end.clone();
    position.history = History::unknown(unrecorded as u8);
    for mv in moves.iter().rev() {
        position.turn = position.turn.opponent();
        let (from, to) = (mv.from().bit(), mv.to().bit());
        let own = &mut position.pieces[position.turn.index()];
        if *own & position.kings & to == 0 || mv.jumps() > 0 {
            let why = format!("does not lead to a king of the mover on {}", mv.to());
            return Err(wrong(&mv.to_string(), why));
        }
        *own = (*own & !to) | from;
        position.kings = (position.kings & !to) | from;
    }
    for mv in moves {
        position = position
            .play(mv)
            .map_err(|error| wrong(&mv.to_string(), format!("cannot be: {error}")))?;
    }
    if position.board() == end.board() {
        Ok(position)
    } else {
        Err("The moves since the last change (M) do not lead to this position.".to_owned())
    }
}

/// The canonical text of a position.
pub fn write_position(position: &Checkers) -> String {
    let list = |side: Side| {
        let items: Vec<_> = squares(position.pieces(side))
            .map(|square| match position.kings & square.bit() {
                0 => square.to_string(),
                _ => format!("K{square}"),
            })
            .collect();
        items.join(",")
    };
    let turn = match position.turn {
        Side::First => 'B',
        Side::Second => 'W',
    };
    let mut text = format!("{turn}:W{}:B{}", list(Side::Second), list(Side::First));
    if position.history.plies() > 0 {
        text += &format!(":H{}", position.history.plies());
    }
    let moves = moves_since(position);
    if !moves.is_empty() {
        text += &format!(":M{}", moves.join(","));
    }
    text
}

/// The kings' steps that the history knows, the oldest first.
fn moves_since(position: &Checkers) -> Vec<String> {
    let mut newer = position.board();
    let mut mover = position.turn.opponent();
    let mut moves = Vec::new();
    for older in position.history.boards() {
        let (before, after) = (older[mover.index()], newer[mover.index()]);
        let from = Square::from_bit(before & !after);
        let mv = Direction::ALL
            .into_iter()
            .filter_map(|direction| Move::step(from, direction))
            .find(|mv| mv.to().bit() == after & !before)
            .expect("a king's step joins any two positions of a history");
        moves.push(mv.to_string());
        newer = older;
        mover = mover.opponent();
    }
    moves.reverse();
    moves
}

/// The board for people: the squares 1 to 4 at the top; `x` (Black) and `o` (White), capital for
/// kings, `.` for an empty square and a blank where no piece can stand.
pub fn rows(position: &Checkers) -> Vec<String> {
    let letter = |square: Square| {
        let (bit, king) = (square.bit(), position.kings & square.bit() != 0);
        match (king, position.pieces) {
            (true, [black, _]) if black & bit != 0 => 'X',
            (true, [_, white]) if white & bit != 0 => 'O',
            (false, [black, _]) if black & bit != 0 => 'x',
            (false, [_, white]) if white & bit != 0 => 'o',
            _ => '.',
        }
    };
    let mut rows = vec![vec![' '; 8]; 8];
    for square in squares(super::BOARD) {
        rows[square.row() as usize][square.column() as usize] = letter(square);
    }
    rows.into_iter().map(String::from_iter).collect()
}
