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

/// Whether within so many plies the piece count can decide the game.
#[inline]
fn may_be_counted_within(position: &Ataxx, plies: u32) -> bool {
    // Each ply fills at most one square.
    playable_empties(position) <= plies
        // Each ply advances the clock by at most one.
        || (position.clock() + plies >= position.clock_limit() && !position.limit_is_a_draw())
}

/// What taking the last piece would require of the attacker.
///
/// Every square that the defender holds now must be captured, unless its piece jumps
/// away. One capture takes neighbours of one square that is not blocked, a *window*.
///
/// Nothing obliges the defender to jump as long as it can clone. Take defending pieces
/// pairwise three or more steps apart, each next to an empty square. An attack that
/// captures such a piece or fills a square next to it lands next to it, so it lands next
/// to one of them at most; and so does a clone of one of them. Hence with `n` of them
/// the defender can clone on each of its next `n / 2` turns, or `(n + 1) / 2` if it
/// moves first, and only on later turns need it jump.
struct Annihilation {
    /// Squares to capture.
    pieces: u32,
    /// The most of them in one window.
    window: u32,
    /// Squares to capture of which no two are in one window.
    apart: u32,
    /// Pieces from whose surroundings the defender can clone, independently of each other.
    cloners: u32,
    counts: NeighbourCounts,
}

impl Annihilation {
    #[inline]
    fn of(position: &Ataxx, defender: u64) -> Self {
        let counts = NeighbourCounts::of(defender);
        Self {
            pieces: defender.count_ones(),
            window: counts.max_in(BOARD & !position.blocks()),
            apart: far_apart(defender),
            cloners: far_apart(defender & within_one(position.empty())),
            counts,
        }
    }

    /// The fewest pieces that the next capture must take to win with `moves` captures in
    /// all, the attacker to move; `None` when no number is enough.
    #[inline]
    fn first_capture(&self, moves: u32) -> Option<u32> {
        let jumps = (moves - 1).saturating_sub(self.cloners / 2);
        if self.apart > moves + jumps {
            return None;
        }
        Some(
            self.pieces
                .saturating_sub((moves - 1) * self.window + jumps),
        )
    }

    /// Whether `moves` captures are certainly not enough, the defender to move.
    #[inline]
    fn is_out_of_reach(&self, moves: u32) -> bool {
        let jumps = moves.saturating_sub(self.cloners.div_ceil(2));
        self.apart > moves + jumps || self.pieces > moves * self.window + jumps
    }
}

/// A number of squares of a set that are pairwise three or more steps apart; not always the most.
#[inline]
fn far_apart(mut set: u64) -> u32 {
    let mut count = 0;
    while set != 0 {
        count += 1;
        set &= !within_two(set & set.wrapping_neg());
    }
    count
}

/// See [`crate::ForcedWins::cannot_win_within`].
#[inline]
pub fn cannot_win_within(position: &Ataxx, side: Side, moves: u32) -> bool {
    // The opponent's answer to the last move counts, so every move has one.
    let attacking = position.turn() == side;
    let plies = 2 * moves + u32::from(!attacking);
    let defender = position.pieces(side.opponent());
    if defender == 0 || may_be_counted_within(position, plies) {
        return false;
    }
    if moves == 0 {
        return true;
    }
    let task = Annihilation::of(position, defender);
    if attacking {
        task.first_capture(moves)
            .is_none_or(|least| least > task.window)
    } else {
        task.is_out_of_reach(moves)
    }
}

/// See [`crate::ForcedWins::for_each_attack`].
#[inline]
pub fn for_each_attack(position: &Ataxx, moves: u32, mut visit: impl FnMut(Move)) {
    let (own, other) = sides(position);
    if moves == 0 || may_be_counted_within(position, 2 * moves) {
        position.for_each_move(visit);
        return;
    }
    let task = Annihilation::of(position, other);
    let Some(least) = task.first_capture(moves) else {
        return;
    };
    if least == 0 {
        position.for_each_move(visit);
        return;
    }
    let near = within_one(own);
    let targets = task.counts.at_least(least) & position.empty() & within_one(near);
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
