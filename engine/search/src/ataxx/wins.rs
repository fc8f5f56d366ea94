//! Which short wins an Ataxx position can hold at all.
//!
//! A game of Ataxx is won by taking the last piece, by the piece count when nobody
//! can move, or (course rules) by the piece count when the jump limit is reached. For
//! each way there is a cheap bound on how soon it can come; the comments say why it
//! holds whatever the defender does, zugzwang included.

use ataxxd_rules::ataxx::{Ataxx, BOARD, Move, squares, within_one, within_two};
use ataxxd_rules::{Position, Side};

use super::neighbours::NeighbourCounts;
use super::sides;

/// A move that ends the game with a win at once, if there is one.
#[inline]
pub fn winning_move(position: &Ataxx) -> Option<Move> {
    let (own, other) = sides(position);
    if let Some(mv) = annihilation(own, other, position.empty()) {
        return Some(mv);
    }
    if playable_empties(position) == 1 || position.clock() + 1 >= position.clock_limit() {
        return last_move(position);
    }
    None
}

/// A move next to every opposing piece.
#[inline]
fn annihilation(own: u64, other: u64, empty: u64) -> Option<Move> {
    let near = within_one(own);
    let mut targets = within_one(near) & empty;
    for piece in squares(other) {
        targets &= within_one(piece.bit());
        if targets == 0 {
            return None;
        }
    }
    let to = squares(targets).next()?;
    if near & to.bit() != 0 {
        return Some(Move::Clone { to });
    }
    let from = squares(own & within_two(to.bit())).next()?;
    Some(Move::Jump { from, to })
}

/// A win by the piece count, where the next move may end the game.
#[cold]
fn last_move(position: &Ataxx) -> Option<Move> {
    let wins = |&mv: &Move| {
        let outcome = position.play_unchecked(mv).outcome();
        outcome.is_some_and(|outcome| outcome.winner == Some(position.turn()))
    };
    position.legal_moves().into_iter().find(wins)
}

/// Empty squares that have to be filled before nobody can move.
///
/// Squares hang together when they are at most two steps apart and not blocked. Moves
/// and captures never leave such a region, so a region with a piece always has one; and
/// as long as it has an empty square too, somewhere a piece is within two steps of one.
/// Hence nobody can move exactly when every region with a piece is full. A clone fills
/// one square of them, a jump none.
#[inline]
fn playable_empties(position: &Ataxx) -> u32 {
    let empty = position.empty();
    if position.blocks() == 0 {
        return empty.count_ones();
    }
    let open = BOARD & !position.blocks();
    let mut region = open & !empty;
    loop {
        let wider = within_two(region) & open;
        if wider == region {
            return (region & empty).count_ones();
        }
        region = wider;
    }
}

/// Only the course rules let the limit decide a game.
#[cold]
fn limit_is_a_draw(position: &Ataxx) -> bool {
    position.ruleset().id == "ataxx/uai"
}

/// Whether within so many plies the piece count can decide the game.
#[inline]
fn may_be_counted_within(position: &Ataxx, plies: u32) -> bool {
    // Each ply fills at most one square.
    playable_empties(position) <= plies
        // Each ply advances the clock by at most one.
        || (position.clock() + plies >= position.clock_limit() && !limit_is_a_draw(position))
}

/// See [`crate::Searchable::cannot_win_within`].
///
/// Taking the last piece: every square that the opponent holds now must be captured,
/// unless its piece jumps away, once for each move that the opponent has before the last
/// capture. A capture takes neighbours of one square that is not blocked. If it is the
/// opponent's turn and it can clone, it may do that instead of jumping now, and the
/// attacker has to have an answer.
#[inline]
pub fn cannot_win_within(position: &Ataxx, side: Side, moves: u32) -> bool {
    // The opponent's answer to the last move counts, so every move has one.
    let defending = position.turn() != side;
    let plies = 2 * moves + u32::from(defending);
    let defender = position.pieces(side.opponent());
    let pieces = defender.count_ones();
    if moves == 0 {
        return pieces != 0 && !may_be_counted_within(position, plies);
    }
    let counts = NeighbourCounts::of(defender);
    let window = counts.max_in(BOARD & !position.blocks());
    let can_clone = within_one(defender) & position.empty() != 0;
    let jumps = moves - u32::from(!defending || can_clone);
    pieces > moves * window + jumps && !may_be_counted_within(position, plies)
}

/// See [`crate::Searchable::for_each_attack`].
///
/// What the first capture takes must leave no more than the others can, by the count
/// explained at `cannot_win_within`.
#[inline]
pub fn for_each_attack(position: &Ataxx, moves: u32, mut visit: impl FnMut(Move)) {
    let (own, other) = sides(position);
    let empty = position.empty();
    let counts = NeighbourCounts::of(other);
    let window = counts.max_in(BOARD & !position.blocks());
    let rest = moves.saturating_sub(1) * (window + 1);
    let needed = other.count_ones().saturating_sub(rest);
    if needed == 0 || may_be_counted_within(position, 2 * moves) {
        position.for_each_move(visit);
        return;
    }
    let near = within_one(own);
    let targets = counts.at_least(needed) & empty & within_one(near);
    for to in squares(targets) {
        if near & to.bit() != 0 {
            visit(Move::Clone { to });
        }
        let around = within_two(to.bit()) & !within_one(to.bit());
        for from in squares(own & around) {
            visit(Move::Jump { from, to });
        }
    }
}
