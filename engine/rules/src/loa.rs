//! Lines of Action on 8x8 squares.
//!
//! Squares are those of [`board8`](crate::board8). A piece moves along a line exactly as
//! many squares as pieces stand on that line. Whoever has all pieces in one group has won;
//! where a move does that for both sides, the mover has.

mod explain;
mod lines;
mod moves;
mod reasons;
mod text;

use crate::board8::{Square, squares, within_one};
use crate::hash::mix;
use crate::{Outcome, Position, RulesError, Ruleset, Side};

pub use lines::{Axis, LineCounts};
pub use moves::Move;

static RULESETS: [Ruleset; 1] = [Ruleset {
    id: "loa/cs61b",
    game: "loa",
    title: "Lines of Action, course rules",
    side_names: ["Black", "White"],
    description: "Whoever has all pieces in one group wins, and a move that does it for both \
                  sides wins for the mover. After 60 moves in all, or another limit set at the \
                  start, the game is a tie.",
}];

/// A Lines of Action position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Loa {
    pieces: [u64; 2],
    counts: LineCounts,
    turn: Side,
    /// Moves made by both sides together, passes included.
    moves: u32,
    /// How many moves make the game a tie.
    limit: u32,
    /// Set up by hand in a way that would end the game: it ends after the next move at the
    /// earliest.
    unjudged: bool,
}

impl Loa {
    /// The pieces of a side, as a set of squares.
    #[inline]
    pub const fn pieces(&self, side: Side) -> u64 {
        self.pieces[side.index()]
    }

    /// Moves made by both sides together, passes included.
    #[inline]
    pub const fn moves_made(&self) -> u32 {
        self.moves
    }

    /// How many moves in all make the game a tie.
    #[inline]
    pub const fn move_limit(&self) -> u32 {
        self.limit
    }

    /// Whether all pieces of a side are in one group; a side without pieces is not.
    #[inline]
    pub const fn is_connected(&self, side: Side) -> bool {
        is_connected(self.pieces[side.index()])
    }

    #[inline(always)]
    fn is_over(&self) -> bool {
        !self.unjudged && self.would_be_over()
    }

    #[inline]
    fn would_be_over(&self) -> bool {
        self.moves >= self.limit || is_connected(self.pieces[0]) || is_connected(self.pieces[1])
    }

    /// Where a piece of the side to move can go along an axis: away from a1, and towards it.
    ///
    /// Empty sets stand for moves that leave the board, pass over a piece of the opponent or
    /// end on an own piece. Eight steps shift bits around the word, but never onto the line.
    #[inline(always)]
    fn reach(&self, axis: Axis, from: Square) -> [u64; 2] {
        let line = axis.line(from);
        let free = line & !self.pieces[self.turn.index()];
        let enemy = self.pieces[self.turn.opponent().index()];
        let shift = self.counts.along(axis, from) * axis.step();
        let bit = from.bit();
        let up = bit.wrapping_shl(shift) & free;
        let down = bit.wrapping_shr(shift) & free;
        // An empty target makes `between` reach to the end of the line; it stays empty.
        let open = |target: u64, between: u64| if between & enemy == 0 { target } else { 0 };
        [
            open(up, lines::between(line, bit, up)),
            open(down, lines::between(line, down, bit)),
        ]
    }

    /// Whether the side to move can move a piece.
    fn can_move(&self) -> bool {
        squares(self.pieces[self.turn.index()]).any(|from| {
            Axis::ALL
                .into_iter()
                .any(|axis| self.reach(axis, from) != [0; 2])
        })
    }

    const fn side_name(side: Side) -> &'static str {
        RULESETS[0].side_names[side.index()]
    }
}

/// Whether a set of squares is one group, not empty.
#[inline]
pub const fn is_connected(pieces: u64) -> bool {
    let mut group = pieces & pieces.wrapping_neg();
    if group == 0 {
        return false;
    }
    loop {
        let grown = within_one(group) & pieces;
        if grown == group {
            return group == pieces;
        }
        group = grown;
    }
}

impl Position for Loa {
    type Move = Move;

    const GAME: &'static str = "loa";
    const RULESETS: &'static [Ruleset] = &RULESETS;
    const NOTATIONS: &'static [&'static str] = &["cs61b", "pgn"];

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

    fn key(&self) -> u64 {
        // What matters is how many moves are left.
        let left = u64::from(self.limit - self.moves);
        mix(self.search_key(), left | u64::from(self.unjudged) << 32)
    }

    #[inline]
    fn search_key(&self) -> u64 {
        mix(mix(self.turn as u64, self.pieces[0]), self.pieces[1])
    }

    fn outcome(&self) -> Option<Outcome> {
        if self.unjudged {
            return None;
        }
        let mover = self.turn.opponent();
        let (termination, winner) = if self.is_connected(mover) {
            ("connected", Some(mover))
        } else if self.is_connected(self.turn) {
            ("connected", Some(self.turn))
        } else if self.moves >= self.limit {
            ("move-limit", None)
        } else {
            return None;
        };
        Some(Outcome {
            termination,
            winner,
        })
    }

    #[inline(always)]
    fn for_each_move(&self, mut visit: impl FnMut(Move)) {
        if self.is_over() {
            return;
        }
        let mut passing = true;
        for from in squares(self.pieces[self.turn.index()]) {
            for axis in Axis::ALL {
                for target in self.reach(axis, from) {
                    if target != 0 {
                        passing = false;
                        let to = Square::from_bit(target);
                        visit(Move::Step { from, to });
                    }
                }
            }
        }
        if passing {
            visit(Move::Pass);
        }
    }

    #[inline(always)]
    fn count_moves(&self) -> u64 {
        if self.is_over() {
            return 0;
        }
        let mut count = 0;
        for from in squares(self.pieces[self.turn.index()]) {
            for axis in Axis::ALL {
                let [up, down] = self.reach(axis, from);
                count += u64::from(up != 0) + u64::from(down != 0);
            }
        }
        count.max(1)
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        if self.is_over() {
            return false;
        }
        match mv {
            Move::Pass => !self.can_move(),
            Move::Step { from, to } => {
                self.pieces[self.turn.index()] & from.bit() != 0
                    && Axis::of(from, to)
                        .is_some_and(|axis| self.reach(axis, from).contains(&to.bit()))
            }
        }
    }

    #[inline(always)]
    fn play_unchecked(&self, mv: Move) -> Self {
        let mut next = self.clone();
        let (us, them) = (self.turn.index(), self.turn.opponent().index());
        next.turn = self.turn.opponent();
        next.unjudged = false;
        next.moves = self.moves.saturating_add(1).min(self.limit);
        let Move::Step { from, to } = mv else {
            return next;
        };
        next.counts.remove(from);
        next.pieces[us] = (self.pieces[us] & !from.bit()) | to.bit();
        if self.pieces[them] & to.bit() == 0 {
            next.counts.add(to);
        } else {
            next.pieces[them] ^= to.bit();
        }
        next
    }

    fn explain_illegal(&self, mv: Move) -> String {
        explain::illegal(self, mv.into())
    }

    fn move_text(mv: Move) -> String {
        mv.to_string()
    }

    fn move_squares(mv: Move) -> Vec<String> {
        match mv {
            Move::Pass => vec![],
            Move::Step { from, to } => vec![from.to_string(), to.to_string()],
        }
    }

    fn move_from_text(text: &str) -> Result<Move, RulesError> {
        text::read_move(text).map_err(RulesError::InvalidMove)
    }

    fn parse_move(&self, text: &str) -> Result<Move, RulesError> {
        let attempt = text::read_attempt(text).map_err(RulesError::InvalidMove)?;
        attempt
            .as_move()
            .filter(|&mv| self.is_legal(mv))
            .ok_or_else(|| RulesError::IllegalMove(explain::illegal(self, attempt)))
    }

    fn format_move(&self, mv: Move, notation: &str) -> Option<String> {
        match notation {
            "cs61b" => Some(mv.to_string()),
            "pgn" => Some(text::pgn(self, mv)),
            _ => None,
        }
    }

    fn own_reason(&self, mv: Move, after: &Self) -> Option<String> {
        reasons::of(self, mv, after)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn perft_of_the_start_is_the_published_one() {
        let start = Loa::start(&RULESETS[0]);
        let counts: Vec<u64> = (0..=4).map(|depth| start.perft(depth)).collect();
        assert_eq!(counts, [1, 36, 1244, 44_952, 1_563_208]);
    }

    #[test]
    fn the_line_counts_kept_up_by_moves_are_those_of_the_board() {
        let mut position = Loa::start(&RULESETS[0]);
        let mut ply = 0;
        while position.outcome().is_none() {
            let moves = position.legal_moves();
            position = position.play(moves[(7 * ply) % moves.len()]).unwrap();
            let again = Loa::from_text(&RULESETS[0], &position.text()).unwrap();
            assert_eq!(again, position);
            assert_eq!(again.key(), position.key());
            assert_eq!(position.count_moves(), position.legal_moves().len() as u64);
            ply += 1;
        }
        assert!(ply > 10);
    }

    #[test]
    fn no_move_panics_even_where_it_is_not_legal() {
        let position = Loa::start(&RULESETS[0]);
        for code in 0..=0xffff_u64 {
            if let Ok(mv) = Move::try_from(code) {
                assert_eq!(u64::from(mv), code);
                assert_eq!(Loa::move_from_text(&Loa::move_text(mv)), Ok(mv));
                let _ = position.play_unchecked(mv);
                assert_eq!(position.play(mv).is_ok(), position.is_legal(mv));
            }
        }
    }

    #[test]
    fn full_lines_shift_no_piece_onto_another_line() {
        for full in [
            "8/8/8/8/8/8/xxxxxxxx/8 x",
            "x7/1x6/2x5/3x4/4x3/5x2/6x1/7x x",
        ] {
            let position = Loa::from_text(&RULESETS[0], full).unwrap();
            for from in squares(position.pieces[0]) {
                for axis in Axis::ALL {
                    let reached = position.reach(axis, from);
                    assert!(reached.iter().all(|set| set & !axis.line(from) == 0));
                    if position.counts.along(axis, from) == 8 {
                        assert_eq!(reached, [0; 2]);
                    }
                }
            }
        }
    }
}
