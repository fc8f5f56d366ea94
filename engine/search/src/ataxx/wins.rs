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

/// See [`crate::Searchable::cannot_win_within`].
#[inline]
pub fn cannot_win_within(position: &Ataxx, side: Side, moves: u32) -> bool {
    // The opponent's answer to the last move counts, so every move has one.
    let to_move = position.turn() == side;
    let plies = 2 * moves + u32::from(!to_move);
    // Each ply fills at most one square.
    playable_empties(position) > plies
        // Each ply advances the clock by at most one, and at the limit pieces may count.
        && (position.clock() + plies < position.clock_limit() || limit_is_a_draw(position))
        && cannot_annihilate(position, side, moves)
}

/// Whether `moves` captures cannot take every opposing piece.
///
/// Every square that the opponent holds now must be captured, unless its piece jumps
/// away: once for each of the opponent's moves before the last capture. A capture
/// takes neighbours of one square that is not blocked; the first one, if it is `side`'s
/// turn, of a square that is empty and within reach now.
#[inline]
fn cannot_annihilate(position: &Ataxx, side: Side, moves: u32) -> bool {
    let other = position.pieces(side.opponent());
    if moves == 0 {
        return other != 0;
    }
    let counts = NeighbourCounts::of(other);
    let anywhere = counts.max_in(BOARD & !position.blocks());
    let left = other.count_ones();
    if position.turn() == side {
        let reach = within_two(position.pieces(side)) & position.empty();
        left > counts.max_in(reach) + (moves - 1) * (anywhere + 1)
    } else {
        left > moves * (anywhere + 1)
    }
}
