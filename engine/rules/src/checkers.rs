//! English checkers (American draughts) on the 32 dark squares of an 8x8 board.
//!
//! Captures are forced, a whole multi-jump is one move, and moves are told apart by the
//! path they take. Men move and jump forward only; one that reaches the last row is crowned
//! and stops there. Pieces jumped are taken off when the move is over.

mod board;
mod count;
mod draws;
mod explain;
mod generate;
mod moves;
mod reasons;
mod text;

use std::ops::ControlFlow;

use crate::hash::mix;
use crate::position::perft_by_moves;
use crate::{Outcome, Position, RulesError, Ruleset, Side};

pub use board::{BOARD, BOTTOM_ROW, Direction, Square, TOP_ROW, squares};
pub use moves::{MAX_JUMPS, Move};

use draws::{Board, History, OCCURRENCES, PLY_LIMIT, UNDRAWN_PLIES};
use generate::View;

static RULESETS: [Ruleset; 2] = [
    Ruleset {
        id: "checkers/cs61b-2004",
        game: "checkers",
        title: "Checkers, course rules",
        side_names: ["Black", "White"],
        description: "Captures are forced; a player without a move has lost. The board knows no \
                      draw: players agree on one. Every square of a jump has to be named.",
    },
    Ruleset {
        id: "checkers/acf",
        game: "checkers",
        title: "Checkers, tournament rules (ACF)",
        side_names: ["Black", "White"],
        description: "The same moves. The game is a draw when a position comes for the third \
                      time, and after 40 moves of each side without a capture or a man's move.",
    },
];

/// How a ruleset ends a game that nobody wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
enum Rules {
    Cs61b = 0,
    Acf = 1,
}

impl Rules {
    const fn ruleset(self) -> &'static Ruleset {
        &RULESETS[self as usize]
    }
}

/// A checkers position.
///
/// Under `checkers/acf` it holds the positions since the last capture or man's move, which
/// the draw rules need (WCDF Rules of Draughts 1.32 and 1.33, which the ACF plays by). There
/// a player claims such a draw; here it ends the game, because nobody could claim it later.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Checkers {
    pieces: [u64; 2],
    kings: u64,
    turn: Side,
    rules: Rules,
    history: History,
}

impl Checkers {
    /// The pieces of a side, men and kings, as a set of squares.
    #[inline]
    pub const fn pieces(&self, side: Side) -> u64 {
        self.pieces[side.index()]
    }

    /// The kings of both sides.
    #[inline]
    pub const fn kings(&self) -> u64 {
        self.kings
    }

    /// Whether the side to move must capture.
    #[inline]
    pub fn must_capture(&self) -> bool {
        self.view().jumpers() != 0
    }

    /// Plies since the last capture or man's move, and how many of them make a draw; `None`
    /// under rules that do not count them.
    #[inline]
    pub fn draw_clock(&self) -> Option<(u32, u32)> {
        (self.rules == Rules::Acf).then(|| (self.history.plies().into(), PLY_LIMIT.into()))
    }

    /// How often the position has come, this time included, under rules that count it; else 1.
    #[inline]
    pub const fn occurrences(&self) -> u8 {
        self.history.occurrences()
    }

    #[inline]
    const fn view(&self) -> View {
        let us = self.turn.index();
        View {
            own: self.pieces[us],
            other: self.pieces[1 - us],
            kings: self.kings,
            side: self.turn,
        }
    }

    const fn board(&self) -> Board {
        [self.pieces[0], self.pieces[1], self.kings]
    }

    /// Whether a draw rule has ended the game; a side without a move has lost all the same.
    #[inline]
    const fn is_drawn(&self) -> bool {
        self.history.plies() >= PLY_LIMIT || self.history.occurrences() >= OCCURRENCES
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.rules.ruleset().side_names[side.index()]
    }
}

impl Position for Checkers {
    type Move = Move;

    const GAME: &'static str = "checkers";
    const RULESETS: &'static [Ruleset] = &RULESETS;
    const NOTATIONS: &'static [&'static str] = &["cs61b", "pdn"];

    fn start(ruleset: &'static Ruleset) -> Self {
        Self::from_text(ruleset, text::START).expect("the start position is valid")
    }

    fn from_text(ruleset: &'static Ruleset, text: &str) -> Result<Self, RulesError> {
        let rules = if ruleset == Rules::Acf.ruleset() {
            Rules::Acf
        } else {
            Rules::Cs61b
        };
        text::read_position(rules, text).map_err(RulesError::InvalidPosition)
    }

    fn ruleset(&self) -> &'static Ruleset {
        self.rules.ruleset()
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
        self.search_key() ^ self.history.key()
    }

    #[inline]
    fn search_key(&self) -> u64 {
        let seed = (self.rules as u64) << 1 | self.turn as u64;
        self.board().into_iter().fold(seed, mix)
    }

    fn outcome(&self) -> Option<Outcome> {
        let (termination, winner) = if self.pieces[self.turn.index()] == 0 {
            ("no-pieces", Some(self.turn.opponent()))
        } else if !self.view().can_move() {
            ("no-moves", Some(self.turn.opponent()))
        } else if self.history.occurrences() >= OCCURRENCES {
            ("repetition", None)
        } else if self.history.plies() >= PLY_LIMIT {
            ("forty-moves", None)
        } else {
            return None;
        };
        Some(Outcome {
            termination,
            winner,
        })
    }

    #[inline]
    fn for_each_move(&self, visit: impl FnMut(Move)) {
        if !self.is_drawn() {
            self.view().for_each(visit);
        }
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        if self.is_drawn() {
            0
        } else {
            count::moves(self.view())
        }
    }

    #[inline]
    fn play_unchecked(&self, mv: Move) -> Self {
        let (us, them) = (self.turn.index(), self.turn.opponent().index());
        let (from, to) = (mv.from().bit(), mv.to().bit());
        let mut next = Self {
            pieces: self.pieces,
            kings: self.kings & !mv.captured(),
            turn: self.turn.opponent(),
            rules: self.rules,
            history: History::unknown(0),
        };
        next.pieces[us] = (self.pieces[us] & !from) | to;
        next.pieces[them] &= !mv.captured();
        if self.kings & from != 0 {
            next.kings = (next.kings & !from) | to;
            if self.rules == Rules::Acf && mv.captured() == 0 {
                next.history = self.history.after(self.board(), next.board());
            }
        } else {
            next.kings |= to & self.view().crown_row();
        }
        next
    }

    fn explain_illegal(&self, mv: Move) -> String {
        explain::illegal(self, &mv.path())
    }

    fn perft_while(
        &self,
        depth: u32,
        keep_going: &mut impl FnMut() -> bool,
    ) -> ControlFlow<(), u64> {
        if self.rules == Rules::Acf && u32::from(self.history.plies()) + depth > UNDRAWN_PLIES {
            perft_by_moves(self, depth, keep_going)
        } else {
            count::perft(self.view(), depth, keep_going)
        }
    }

    fn move_text(mv: Move) -> String {
        mv.to_string()
    }

    fn move_squares(mv: Move) -> Vec<String> {
        mv.path().iter().map(ToString::to_string).collect()
    }

    fn square_names(&self) -> Vec<Vec<Option<String>>> {
        let mut numbers = 1..;
        let mut name = |content| {
            (content != ' ').then(|| numbers.next().map(|number: u32| number.to_string()))?
        };
        self.rows()
            .iter()
            .map(|row| row.chars().map(&mut name).collect())
            .collect()
    }

    fn move_from_text(text: &str) -> Result<Move, RulesError> {
        text::read_move(text).map_err(RulesError::InvalidMove)
    }

    /// Under `checkers/acf` the squares between may be left out if only one move fits.
    fn parse_move(&self, text: &str) -> Result<Move, RulesError> {
        let path = text::read_path(text).map_err(RulesError::InvalidMove)?;
        let exact = Move::along(&path).ok().filter(|&mv| self.is_legal(mv));
        exact
            .or_else(|| match self.rules {
                Rules::Acf => text::abbreviated(self, &path),
                Rules::Cs61b => None,
            })
            .ok_or_else(|| RulesError::IllegalMove(explain::illegal(self, &path)))
    }

    fn format_move(&self, mv: Move, notation: &str) -> Option<String> {
        match notation {
            "cs61b" => Some(mv.joined("-")),
            "pdn" => Some(text::pdn(self, mv)),
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
        for ruleset in &RULESETS {
            let start = Checkers::start(ruleset);
            let counts: Vec<u64> = (0..=8).map(|depth| start.perft(depth)).collect();
            assert_eq!(
                counts,
                [1, 7, 49, 302, 1469, 7361, 36_768, 179_740, 845_931]
            );
        }
    }

    #[test]
    fn texts_and_codes_of_all_moves_of_a_game_read_back() {
        for ruleset in &RULESETS {
            let mut position = Checkers::start(ruleset);
            for ply in 0..200 {
                let again = Checkers::from_text(ruleset, &position.text()).unwrap();
                assert_eq!(again, position);
                assert_eq!(again.key(), position.key());
                let moves = position.legal_moves();
                assert_eq!(position.count_moves(), moves.len() as u64);
                if moves.is_empty() {
                    break;
                }
                for &mv in &moves {
                    assert_eq!(Move::try_from(u64::from(mv)), Ok(mv));
                    assert_eq!(Checkers::move_from_text(&Checkers::move_text(mv)), Ok(mv));
                    assert_eq!(position.parse_move(&Checkers::move_text(mv)), Ok(mv));
                }
                position = position.play(moves[(7 * ply) % moves.len()]).unwrap();
            }
            assert!(position.counts() < [12, 12]);
        }
    }

    #[test]
    fn no_move_panics_even_where_it_is_not_legal() {
        let kings = "W:WK18,K30:BK25,14,K15,27";
        for ruleset in &RULESETS {
            let position = Checkers::from_text(ruleset, kings).unwrap();
            for code in 0..1 << 18 {
                if let Ok(mv) = Move::try_from(code) {
                    assert_eq!(u64::from(mv), code);
                    assert_eq!(Checkers::move_from_text(&Checkers::move_text(mv)), Ok(mv));
                    let _ = position.play_unchecked(mv);
                    assert_eq!(position.play(mv).is_ok(), position.is_legal(mv));
                }
            }
        }
    }

    #[test]
    fn a_king_can_take_nine_pieces_and_no_more() {
        let text = "W:WK1:B6,7,8,14,15,16,22,23,24";
        let position = Checkers::from_text(&RULESETS[0], text).unwrap();
        let most = position.legal_moves().iter().map(Move::jumps).max();
        assert!(most <= Some(MAX_JUMPS));
    }

    #[test]
    fn the_third_coming_of_a_position_is_a_draw() {
        let text = "B:WK32:BK1";
        let mut position = Checkers::from_text(&RULESETS[1], text).unwrap();
        for round in 0..2 {
            for mv in ["1-6", "32-28", "6-1", "28-32"] {
                assert_eq!(position.outcome(), None, "round {round}");
                position = position.play(position.parse_move(mv).unwrap()).unwrap();
            }
        }
        assert_eq!(position.outcome().unwrap().termination, "repetition");
        assert_eq!(position.legal_moves(), []);
        let again = Checkers::from_text(&RULESETS[1], &position.text()).unwrap();
        assert_eq!(again, position);
    }
}
