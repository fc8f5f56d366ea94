//! Probing the endgame tables during the search.

use ataxxd_rules::Position;
use ataxxd_rules::checkers::{Checkers, Move};

use super::tables::board::Board;
use super::tables::index::MOST_PIECES;
use super::tables::verdict::Verdict;
use super::tables::{self, LONGEST_WAIT, SHIPPED_PIECES};
use crate::Known;

/// The verdict on a position with few pieces, the draw rules left out.
#[inline]
pub fn verdict(position: &Checkers) -> Option<Verdict> {
    if position.counts().iter().sum::<u32>() > MOST_PIECES {
        return None;
    }
    tables::verdict(Board::of(position))
}

/// Whether a win in so many plies comes before the draw rules end the game, though the count of
/// plies may be higher by `slack`.
#[inline]
fn comes_in_time(position: &Checkers, plies: u32, slack: u32) -> bool {
    let few = position.counts().iter().sum::<u32>() <= SHIPPED_PIECES;
    let wait = if few { plies.min(LONGEST_WAIT) } else { plies };
    position
        .draw_clock()
        .is_none_or(|(gone, limit)| gone + slack + wait < limit)
}

/// 1, 0 or -1 when the side to move wins, draws or loses, and in how many plies.
#[inline]
pub fn known_end(position: &Checkers, slack: u32) -> Option<(i32, u32)> {
    match verdict(position)? {
        Verdict::Draw => Some((0, 0)),
        Verdict::Win { plies } => comes_in_time(position, plies, slack).then_some((1, plies)),
        Verdict::Loss { plies } => comes_in_time(position, plies, slack).then_some((-1, plies)),
    }
}

/// Best play by the tables, where the draw rules do not spoil it.
pub fn known_line(position: &Checkers) -> Option<Known<Move>> {
    let (result, plies) = known_end(position, 0)?;
    let mut line = Vec::new();
    let mut at = position.clone();
    loop {
        let best = best_move(&at)?;
        line.push(best);
        at = at.play_unchecked(best);
        if result == 0 || at.outcome().is_some() {
            break;
        }
    }
    Some(Known {
        result,
        plies,
        line,
    })
}

/// The move that wins soonest or loses latest; of drawing moves, the one after which the most
/// answers lose.
fn best_move(position: &Checkers) -> Option<Move> {
    let worth = |&mv: &Move| {
        let after = position.play_unchecked(mv);
        match verdict(&after) {
            Some(Verdict::Loss { plies }) => (2, -i64::from(plies)),
            Some(Verdict::Win { plies }) => (0, i64::from(plies)),
            _ => (1, traps(&after)),
        }
    };
    // The first of equals, as everywhere.
    position.legal_moves().into_iter().rev().max_by_key(worth)
}

/// The share of the moves that lose, in thousandths.
fn traps(position: &Checkers) -> i64 {
    let moves = position.legal_moves();
    let loses = |&&mv: &&Move| {
        let after = position.play_unchecked(mv);
        matches!(verdict(&after), Some(Verdict::Win { .. }))
    };
    (1_000 * moves.iter().filter(loses).count() / moves.len().max(1)) as i64
}
