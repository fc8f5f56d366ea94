//! Explains why a move is illegal, and what would be legal.

use super::text::Attempt;
use super::{Axis, Loa, Move, lines};
use crate::Position;
use crate::board8::{Point, Square, names, off_board, squares};

/// Explains a move that is not legal.
pub fn illegal(position: &Loa, attempt: Attempt) -> String {
    let shown = match attempt {
        Attempt::Pass => "A pass".to_owned(),
        Attempt::FromTo(from, to) => format!("{from}-{to}"),
    };
    let reason = game_over(position).unwrap_or_else(|| match attempt {
        Attempt::Pass => pass(position),
        Attempt::FromTo(from, to) => from_to(position, from, to),
    });
    format!("{shown} is not legal: {reason}")
}

fn game_over(position: &Loa) -> Option<String> {
    let outcome = position.outcome()?;
    Some(match outcome.winner {
        Some(side) => format!(
            "the game is over, {} won (all its pieces are in one group).",
            Loa::side_name(side)
        ),
        None => format!(
            "the game is over, it was a tie ({} moves in all).",
            position.limit
        ),
    })
}

fn pass(position: &Loa) -> String {
    let mover = Loa::side_name(position.turn);
    let moves = position.legal_moves();
    let noun = if moves.len() == 1 { "move" } else { "moves" };
    format!(
        "it is allowed only when there is no other move, and {mover} has {} {noun}, such as {}.",
        moves.len(),
        moves[0]
    )
}

fn from_to(position: &Loa, from: Point, to: Point) -> String {
    let (Some(source), Some(target)) = (from.square(), to.square()) else {
        return off_board(if from.square().is_none() { from } else { to });
    };
    if position.pieces(position.turn) & source.bit() == 0 {
        return bad_source(position, source);
    }
    let reason = match Axis::of(source, target) {
        None if source == target => "a piece cannot move to the square it stands on".to_owned(),
        None => format!("{source} and {target} are on no common row, column or diagonal"),
        Some(axis) => along(position, axis, source, target),
    };
    match names(targets(position, source)) {
        none if none.is_empty() => format!("{reason}. From {source} you can reach no square."),
        all => format!("{reason}. From {source} you can reach {all}."),
    }
}

/// What is wrong with a move along a line.
fn along(position: &Loa, axis: Axis, from: Square, to: Square) -> String {
    let steps = from
        .column()
        .abs_diff(to.column())
        .max(from.row().abs_diff(to.row()));
    let count = position.counts.along(axis, from);
    if u32::from(steps) != count {
        let (squares, pieces) = match count {
            1 => ("1 square", "the 1 piece"),
            _ => (
                &*format!("{count} squares"),
                &*format!("the {count} pieces"),
            ),
        };
        return format!(
            "{from} must move {squares} along that {}, as many as {pieces} on it; {to} is {steps} \
             away",
            name(axis)
        );
    }
    let (low, high) = if from < to { (from, to) } else { (to, from) };
    let between = lines::between(axis.line(from), low.bit(), high.bit());
    let enemy = position.pieces(position.turn.opponent());
    match squares(between & enemy).next() {
        Some(square) => format!(
            "an enemy piece on {square} is in the way, and a piece may jump over its own side only"
        ),
        None => format!("{to} holds a piece of {}", Loa::side_name(position.turn)),
    }
}

const fn name(axis: Axis) -> &'static str {
    match axis {
        Axis::Column => "column",
        Axis::Row => "row",
        Axis::Rising | Axis::Falling => "diagonal",
    }
}

/// Where the piece on a square can go.
fn targets(position: &Loa, from: Square) -> u64 {
    Axis::ALL
        .into_iter()
        .flat_map(|axis| position.reach(axis, from))
        .fold(0, |set, target| set | target)
}

fn bad_source(position: &Loa, source: Square) -> String {
    let mover = Loa::side_name(position.turn);
    let enemy = position.pieces(position.turn.opponent()) & source.bit() != 0;
    let what = if enemy {
        let holder = Loa::side_name(position.turn.opponent());
        format!("{source} holds a piece of {holder}, and it is {mover}'s turn")
    } else {
        format!("{source} is empty")
    };
    let movable = squares(position.pieces(position.turn))
        .filter(|&square| targets(position, square) != 0)
        .fold(0, |set, square| set | square.bit());
    if position.is_legal(Move::Pass) {
        format!("{what}. {mover} has no move but a pass (-).")
    } else {
        format!("{what}. {mover} can move from {}.", names(movable))
    }
}
