//! Explains why a move is illegal, and what would be legal.

use super::text::{self, Attempt, Point};
use super::{Ataxx, JUMPS, Move, NEIGHBOURS, Square, squares, within_one};
use crate::Position;

/// Explains a move that is not legal, naming squares in the course notation.
pub fn illegal(position: &Ataxx, attempt: Attempt) -> String {
    let shown = match attempt {
        Attempt::Pass => "A pass".to_owned(),
        Attempt::To(to) => to.to_string(),
        Attempt::FromTo(from, to) => format!("{from}-{to}"),
    };
    let reason = game_over(position).unwrap_or_else(|| match attempt {
        Attempt::Pass => pass(position),
        Attempt::To(to) => clone(position, to) + must_pass(position),
        Attempt::FromTo(from, to) => from_to(position, from, to) + must_pass(position),
    });
    format!("{shown} is not legal: {reason}")
}

fn game_over(position: &Ataxx) -> Option<String> {
    let outcome = position.outcome()?;
    let [first, second] = position.counts();
    let result = match outcome.winner {
        Some(side) => format!("{} won", position.side_name(side)),
        None => "it was a draw".to_owned(),
    };
    let limit = position.clock_limit();
    let why = match outcome.termination {
        "no-pieces" => match outcome.winner {
            Some(side) => format!("{} has no pieces left", position.side_name(side.opponent())),
            None => "neither side has any pieces".to_owned(),
        },
        "jump-limit" => format!("{limit} consecutive jumps, pieces {first} to {second}"),
        "halfmove-limit" => format!("{limit} plies without a clone"),
        _ => format!("neither side can move, pieces {first} to {second}"),
    };
    Some(format!("the game is over, {result} ({why})."))
}

/// The course specification keeps the word "moves" for the announcements of an AI.
fn pass(position: &Ataxx) -> String {
    let mover = position.side_name(position.turn);
    let others = match position.count_moves() {
        0 | 1 => String::new(),
        2 => " or one other".to_owned(),
        count => format!(" or {} others", count - 1),
    };
    let mut example = String::new();
    position.for_each_move(|mv| {
        if example.is_empty() {
            example = text::cs61b(position, mv);
        }
    });
    format!(
        "it is allowed only when there is no other move, and {mover} can play {example}{others}."
    )
}

/// What to add when the side to move has nothing but a pass.
fn must_pass(position: &Ataxx) -> &'static str {
    if position.is_legal(Move::Pass) {
        " There is no move but a pass (-)."
    } else {
        ""
    }
}

fn clone(position: &Ataxx, to: Point) -> String {
    let Some(square) = to.square() else {
        return off_board(to);
    };
    let mover = position.side_name(position.turn);
    let targets = within_one(position.pieces(position.turn)) & position.empty();
    let hint = match list(targets) {
        none if none.is_empty() => format!("{mover} can clone to no square."),
        all => format!("{mover} can clone to {all}."),
    };
    match occupant(position, square) {
        Some(what) => format!("{square} {what}. {hint}"),
        None => format!("no piece of {mover} stands next to {square}. {hint}"),
    }
}

fn from_to(position: &Ataxx, from: Point, to: Point) -> String {
    let (Some(source), Some(target)) = (from.square(), to.square()) else {
        return off_board(if from.square().is_none() { from } else { to });
    };
    let own = position.pieces(position.turn);
    if own & source.bit() == 0 {
        return bad_source(position, source);
    }
    let columns = source.column().abs_diff(target.column());
    let rows = source.row().abs_diff(target.row());
    let reason = if source == target {
        "a piece cannot move to the square it stands on".to_owned()
    } else if columns > 2 {
        format!("{target} is {columns} columns away; the limit is 2")
    } else if rows > 2 {
        format!("{target} is {rows} rows away; the limit is 2")
    } else {
        let what = occupant(position, target).unwrap_or_else(|| "cannot be reached".to_owned());
        format!("{target} {what}")
    };
    let near = NEIGHBOURS[source.index()] | JUMPS[source.index()];
    match list(near & position.empty()) {
        none if none.is_empty() => format!("{reason}. From {source} you can reach no square."),
        all => format!("{reason}. From {source} you can reach {all}."),
    }
}

fn bad_source(position: &Ataxx, source: Square) -> String {
    let mover = position.side_name(position.turn);
    let what = occupant(position, source).unwrap_or_else(|| "is empty".to_owned());
    let turn = if position.pieces(position.turn.opponent()) & source.bit() != 0 {
        format!(", and it is {mover}'s turn")
    } else {
        String::new()
    };
    let movable = squares(position.pieces(position.turn))
        .filter(|square| {
            (NEIGHBOURS[square.index()] | JUMPS[square.index()]) & position.empty() != 0
        })
        .fold(0, |set, square| set | square.bit());
    match list(movable) {
        none if none.is_empty() => format!("{source} {what}{turn}. {mover} can move no piece."),
        all => format!("{source} {what}{turn}. {mover} can move from {all}."),
    }
}

/// What stands on a square, as the end of a sentence; `None` when it is empty.
fn occupant(position: &Ataxx, square: Square) -> Option<String> {
    let bit = square.bit();
    if position.blocks() & bit != 0 {
        return Some("is a block".to_owned());
    }
    let holder = [position.turn, position.turn.opponent()]
        .into_iter()
        .find(|&side| position.pieces(side) & bit != 0)?;
    Some(format!("holds a piece of {}", position.side_name(holder)))
}

fn off_board(point: Point) -> String {
    format!("{point} is off the board; columns are a to g and rows 1 to 7.")
}

/// The squares of a set by name, column by column.
fn list(set: u64) -> String {
    let mut all: Vec<_> = squares(set).collect();
    all.sort_by_key(|square| (square.column(), square.row()));
    let names: Vec<_> = all.iter().map(ToString::to_string).collect();
    names.join(" ")
}
