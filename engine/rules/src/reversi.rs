//! Reversi (Othello) on 8x8 squares.
//!
//! Squares are those of [`board8`](crate::board8), with a1 at the top left as the game's
//! community has it: column a is the laboratory's x = 0 and row 1 its y = 0. Column by
//! column is thus the order in which the laboratory lists moves.

mod explain;
mod flips;
mod moves;
mod reasons;
mod text;

use std::ops::ControlFlow;

use ataxxd_processor::widest;

use crate::board8::squares;
use crate::hash::mix;
use crate::position::lettered;
use crate::{Outcome, Position, RulesError, Ruleset, Side};

pub use flips::{targets, turned};
pub use moves::Move;

static RULESETS: [Ruleset; 1] = [Ruleset {
    id: "reversi/standard",
    game: "reversi",
    title: "Reversi (Othello)",
    side_names: ["Black", "White"],
    description: "A piece must bracket pieces of the opponent, which change colour. A player who \
                  cannot move passes; when neither can, the side with more pieces wins.",
}];

/// A reversi position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reversi {
    pieces: [u64; 2],
    turn: Side,
}

impl Reversi {
    /// The position in which the first side is to move, with these pieces of its own and of the other.
    pub const fn of_mover(own: u64, other: u64) -> Self {
        Self {
            pieces: [own, other],
            turn: Side::First,
        }
    }

    /// The pieces of a side, as a set of squares.
    #[inline]
    pub const fn pieces(&self, side: Side) -> u64 {
        self.pieces[side.index()]
    }

    /// The pieces of the side to move, and of the other.
    #[inline]
    pub const fn own_and_other(&self) -> (u64, u64) {
        let us = self.turn.index();
        (self.pieces[us], self.pieces[1 - us])
    }

    /// Where the side to move can put a piece.
    #[inline(always)]
    pub fn targets(&self) -> u64 {
        let (own, other) = self.own_and_other();
        targets(own, other)
    }

    /// Whether the side to move has nothing but a pass.
    #[inline(always)]
    fn must_pass(&self) -> bool {
        let (own, other) = self.own_and_other();
        targets(own, other) == 0 && targets(other, own) != 0
    }

    const fn side_name(side: Side) -> &'static str {
        RULESETS[0].side_names[side.index()]
    }
}

/// Subtrees of this depth are counted without asking: a few milliseconds at most.
const PERFT_POLL_DEPTH: u32 = 6;

impl Position for Reversi {
    type Move = Move;

    const GAME: &'static str = "reversi";
    const RULESETS: &'static [Ruleset] = &RULESETS;
    const NOTATIONS: &'static [&'static str] = &["laboratory"];

    fn start(_ruleset: &'static Ruleset) -> Self {
        text::read_position(text::START).expect("the start position is valid")
    }

    fn from_text(_ruleset: &'static Ruleset, text: &str) -> Result<Self, RulesError> {
        text::read_position(text).map_err(RulesError::InvalidPosition)
    }

    fn ruleset(&self) -> &'static Ruleset {
        &RULESETS[0]
    }

    fn text(&self) -> String {
        text::write_position(self)
    }

    fn rows(&self) -> Vec<String> {
        text::rows(self)
    }

    fn counts(&self) -> [u32; 2] {
        self.pieces.map(u64::count_ones)
    }

    fn turn(&self) -> Side {
        self.turn
    }

    #[inline]
    fn key(&self) -> u64 {
        mix(mix(self.turn as u64, self.pieces[0]), self.pieces[1])
    }

    #[inline(always)]
    fn outcome(&self) -> Option<Outcome> {
        let (own, other) = self.own_and_other();
        if targets(own, other) != 0 || targets(other, own) != 0 {
            return None;
        }
        let [first, second] = self.counts();
        Some(Outcome {
            termination: "no-moves",
            winner: match first.cmp(&second) {
                std::cmp::Ordering::Greater => Some(Side::First),
                std::cmp::Ordering::Less => Some(Side::Second),
                std::cmp::Ordering::Equal => None,
            },
        })
    }

    #[inline(always)]
    fn for_each_move(&self, mut visit: impl FnMut(Move)) {
        let targets = self.targets();
        for to in squares(targets) {
            visit(Move::Place { to });
        }
        if targets == 0 && self.must_pass() {
            visit(Move::Pass);
        }
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        match self.targets().count_ones() {
            0 => u64::from(self.must_pass()),
            count => u64::from(count),
        }
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        match mv {
            Move::Place { to } => self.targets() & to.bit() != 0,
            Move::Pass => self.must_pass(),
        }
    }

    #[inline]
    fn play_unchecked(&self, mv: Move) -> Self {
        let (mut own, mut other) = self.own_and_other();
        if let Move::Place { to } = mv {
            let turned = turned(own, other, to);
            own |= turned | to.bit();
            other &= !own;
        }
        Self {
            pieces: match self.turn {
                Side::First => [own, other],
                Side::Second => [other, own],
            },
            turn: self.turn.opponent(),
        }
    }

    fn explain_illegal(&self, mv: Move) -> String {
        explain::illegal(self, mv.into(), text::Style::Squares)
    }

    fn move_text(mv: Move) -> String {
        mv.to_string()
    }

    fn move_squares(mv: Move) -> Vec<String> {
        match mv {
            Move::Pass => vec![],
            Move::Place { to } => vec![to.to_string()],
        }
    }

    fn square_names(&self) -> Vec<Vec<Option<String>>> {
        lettered(&self.rows(), true)
    }

    fn move_from_text(text: &str) -> Result<Move, RulesError> {
        text::read_move(text).map_err(RulesError::InvalidMove)
    }

    fn parse_move(&self, text: &str) -> Result<Move, RulesError> {
        let attempt = text::read_attempt(text).map_err(RulesError::InvalidMove)?;
        attempt
            .as_move()
            .filter(|&mv| self.is_legal(mv))
            .ok_or_else(|| {
                RulesError::IllegalMove(explain::illegal(self, attempt, text::Style::of(text)))
            })
    }

    fn format_move(&self, mv: Move, notation: &str) -> Option<String> {
        (notation == "laboratory").then(|| text::laboratory_move(mv))
    }

    /// Counts as the published figures do: a finished game is one leaf at any depth.
    fn perft_while(
        &self,
        depth: u32,
        keep_going: &mut impl FnMut() -> bool,
    ) -> ControlFlow<(), u64> {
        let (own, other) = self.own_and_other();
        perft(own, other, depth, keep_going)
    }

    fn own_reason(&self, mv: Move, after: &Self) -> Option<String> {
        reasons::of(self, mv, after)
    }
}

fn perft(
    own: u64,
    other: u64,
    depth: u32,
    keep_going: &mut impl FnMut() -> bool,
) -> ControlFlow<(), u64> {
    if depth <= PERFT_POLL_DEPTH {
        return if keep_going() {
            ControlFlow::Continue(bulk_perft(own, other, depth))
        } else {
            ControlFlow::Break(())
        };
    }
    let moves = targets(own, other);
    if moves == 0 {
        return match targets(other, own) {
            0 => ControlFlow::Continue(1),
            _ => perft(other, own, depth - 1, keep_going),
        };
    }
    let mut nodes = 0;
    for to in squares(moves) {
        let turned = turned(own, other, to);
        nodes += perft(
            other & !turned,
            own | turned | to.bit(),
            depth - 1,
            keep_going,
        )?;
    }
    ControlFlow::Continue(nodes)
}

/// Perft that counts the last ply's moves without making them.
fn bulk_perft(own: u64, other: u64, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => count(own, other),
        _ => widest(
            #[inline(always)]
            || bulk_perft_by_moves(own, other, depth),
        ),
    }
}

#[inline(always)]
fn bulk_perft_by_moves(own: u64, other: u64, depth: u32) -> u64 {
    let moves = targets(own, other);
    if moves == 0 {
        return match targets(other, own) {
            0 => 1,
            _ => bulk_perft(other, own, depth - 1),
        };
    }
    let mut nodes = 0;
    for to in squares(moves) {
        let turned = turned(own, other, to);
        let (next, us) = (other & !turned, own | turned | to.bit());
        nodes += if depth == 2 {
            count(next, us)
        } else {
            bulk_perft(next, us, depth - 1)
        };
    }
    nodes
}

/// The moves of a position, where a pass is one and so is the end of the game.
#[inline(always)]
fn count(own: u64, other: u64) -> u64 {
    u64::from(targets(own, other).count_ones().max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perft_of_the_start_is_the_published_one() {
        let start = Reversi::start(&RULESETS[0]);
        let counts: Vec<u64> = (0..=8).map(|depth| start.perft(depth)).collect();
        assert_eq!(counts, [1, 4, 12, 56, 244, 1396, 8200, 55_092, 390_216]);
    }

    #[test]
    fn no_move_panics_even_where_it_is_not_legal() {
        let position = Reversi::start(&RULESETS[0]);
        for code in 0..=70 {
            let Ok(mv) = Move::try_from(code) else {
                assert!(code > 64);
                continue;
            };
            assert_eq!(u64::from(mv), code);
            assert_eq!(Reversi::move_from_text(&Reversi::move_text(mv)), Ok(mv));
            let _ = position.play_unchecked(mv);
            assert_eq!(position.play(mv).is_ok(), position.is_legal(mv));
        }
    }

    #[test]
    fn perft_breaks_when_told_to() {
        let start = Reversi::start(&RULESETS[0]);
        assert_eq!(start.perft_while(9, &mut || false), ControlFlow::Break(()));
    }
}
