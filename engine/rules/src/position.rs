//! The interface that every game implements.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::ControlFlow;

use ataxxd_processor::widest;

use crate::{Outcome, RulesError, Side};

/// A set of rules by which a game is played, as offers and records name it.
#[derive(Debug, PartialEq, Eq)]
pub struct Ruleset {
    /// `game/variant`, such as `ataxx/cs61b-2022`.
    pub id: &'static str,
    /// The part of `id` before the slash.
    pub game: &'static str,
    /// One line for menus.
    pub title: &'static str,
    /// What the first and the second side are called.
    pub side_names: [&'static str; 2],
    /// What sets this ruleset apart, in one or two sentences.
    pub description: &'static str,
}

/// One position of one game, with all that the rules need to go on from it.
///
/// Positions are values: playing a move makes a new one. Required methods come
/// first; the provided ones may be overridden where a game can do better.
pub trait Position: Clone + Eq + Hash + Debug + Send + Sync + 'static {
    /// A move of this game; its code must tell apart any two moves of a position.
    type Move: Copy + Eq + Hash + Debug + Send + Sync + Into<u64> + TryFrom<u64>;

    /// The game's name, as in its ruleset ids.
    const GAME: &'static str;

    /// The rulesets under which the game is played; the first one is the default.
    const RULESETS: &'static [Ruleset];

    /// Notations that `format_move` knows besides the canonical one.
    const NOTATIONS: &'static [&'static str];

    /// The start position under a ruleset of this game.
    fn start(ruleset: &'static Ruleset) -> Self;

    /// Reads position text; the error names the place and what was expected there.
    fn from_text(ruleset: &'static Ruleset, text: &str) -> Result<Self, RulesError>;

    /// The ruleset this position is played under.
    fn ruleset(&self) -> &'static Ruleset;

    /// The canonical text, from which `from_text` makes an equal position.
    fn text(&self) -> String;

    /// The board for people: top row first, one character a square.
    ///
    /// `x` and `o` are pieces of the first and the second side, capitals kings, `.` an empty square,
    /// `#` a block, and a blank is no square.
    fn rows(&self) -> Vec<String>;

    /// Pieces of the first and of the second side.
    fn counts(&self) -> [u32; 2];

    /// The side to move.
    fn turn(&self) -> Side;

    /// A hash of everything that may change what follows, counters included.
    fn key(&self) -> u64;

    /// How the game ended, or `None` while it goes on.
    fn outcome(&self) -> Option<Outcome>;

    /// Calls `visit` with every legal move, in a fixed order; with none once the game is over.
    fn for_each_move(&self, visit: impl FnMut(Self::Move));

    /// The position after a move that is known to be legal.
    ///
    /// What an illegal move gives is unspecified, but it never panics.
    #[must_use]
    fn play_unchecked(&self, mv: Self::Move) -> Self;

    /// Explains why a move is not legal, and what would be.
    fn explain_illegal(&self, mv: Self::Move) -> String;

    /// The canonical text of a move; it needs no position.
    fn move_text(mv: Self::Move) -> String;

    /// The squares that a piece touches by a move, from the first to the last: only where it
    /// lands for a new piece, none for a pass.
    fn move_squares(mv: Self::Move) -> Vec<String>;

    /// Reads the canonical text of a move, whether or not it is legal anywhere.
    fn move_from_text(text: &str) -> Result<Self::Move, RulesError>;

    /// Reads a move as people type it, and accepts it only when it is legal here.
    fn parse_move(&self, text: &str) -> Result<Self::Move, RulesError>;

    /// The text of a legal move in one of `NOTATIONS`; `None` for any other notation.
    fn format_move(&self, mv: Self::Move, notation: &str) -> Option<String>;

    /// The names of the squares as `rows` has them; `None` where no piece can stand.
    fn square_names(&self) -> Vec<Vec<Option<String>>> {
        lettered(&self.rows(), false)
    }

    /// The squares whose pieces a legal move takes from the opponent or turns, top row first.
    fn captures(&self, mv: Self::Move) -> Vec<String> {
        let theirs = ["oO", "xX"][self.turn().index()];
        let after = self.play_unchecked(mv).rows();
        let mut captured = Vec::new();
        for ((names, before), after) in self.square_names().into_iter().zip(self.rows()).zip(after)
        {
            for ((name, before), after) in names.into_iter().zip(before.chars()).zip(after.chars())
            {
                if theirs.contains(before) && !theirs.contains(after) {
                    captured.extend(name);
                }
            }
        }
        captured
    }

    /// The reason for a legal move that only this game has; `after` is the position after it. Reasons that
    /// all games share come first ([`reasons`](crate::reasons)).
    fn own_reason(&self, _mv: Self::Move, _after: &Self) -> Option<String> {
        None
    }

    /// Like `key`, but blind to counters, so that a search recognises transpositions.
    fn search_key(&self) -> u64 {
        self.key()
    }

    /// How many legal moves there are.
    fn count_moves(&self) -> u64 {
        let mut count = 0;
        self.for_each_move(|_| count += 1);
        count
    }

    /// The legal moves, in the order of `for_each_move`.
    fn legal_moves(&self) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.for_each_move(|mv| moves.push(mv));
        moves
    }

    /// Whether the rules allow a move here.
    fn is_legal(&self, mv: Self::Move) -> bool {
        let mut found = false;
        self.for_each_move(|legal| found |= legal == mv);
        found
    }

    /// The position after a move, or an error that explains why it is not legal.
    fn play(&self, mv: Self::Move) -> Result<Self, RulesError> {
        if self.is_legal(mv) {
            Ok(self.play_unchecked(mv))
        } else {
            Err(RulesError::IllegalMove(self.explain_illegal(mv)))
        }
    }

    /// Counts the move sequences of exactly `depth` plies; finished games have none.
    ///
    /// A game whose published figures count otherwise overrides `perft_while`.
    fn perft(&self, depth: u32) -> u64 {
        match self.perft_while(depth, &mut || true) {
            ControlFlow::Continue(nodes) => nodes,
            ControlFlow::Break(()) => unreachable!("nothing asked to stop"),
        }
    }

    /// Like `perft`, but asks `keep_going` every few milliseconds, and breaks once it is `false`.
    fn perft_while(
        &self,
        depth: u32,
        keep_going: &mut impl FnMut() -> bool,
    ) -> ControlFlow<(), u64> {
        perft_by_moves(self, depth, keep_going)
    }
}

/// Names of squares by the letter of the column and the number of the row.
pub fn lettered(rows: &[String], row_one_on_top: bool) -> Vec<Vec<Option<String>>> {
    let name = |row: usize, column: usize, content| {
        let number = if row_one_on_top {
            row + 1
        } else {
            rows.len() - row
        };
        (content != ' ').then(|| format!("{}{number}", char::from(b'a' + column as u8)))
    };
    rows.iter()
        .enumerate()
        .map(|(row, line)| {
            line.chars()
                .enumerate()
                .map(|(at, content)| name(row, at, content))
                .collect()
        })
        .collect()
}

/// Subtrees of this depth are counted without asking: a few milliseconds at most.
const PERFT_POLL_DEPTH: u32 = 3;

/// Perft that makes all moves but those of the last ply.
pub(crate) fn perft_by_moves<P: Position>(
    position: &P,
    depth: u32,
    keep_going: &mut impl FnMut() -> bool,
) -> ControlFlow<(), u64> {
    if depth <= PERFT_POLL_DEPTH {
        return if keep_going() {
            ControlFlow::Continue(bulk_perft(position, depth))
        } else {
            ControlFlow::Break(())
        };
    }
    let mut nodes = 0;
    for mv in position.legal_moves() {
        nodes += position
            .play_unchecked(mv)
            .perft_while(depth - 1, keep_going)?;
    }
    ControlFlow::Continue(nodes)
}

/// Perft that counts the last ply's moves without making them.
fn bulk_perft<P: Position>(position: &P, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves(),
        _ => widest(
            #[inline(always)]
            || bulk_perft_by_moves(position, depth),
        ),
    }
}

#[inline(always)]
fn bulk_perft_by_moves<P: Position>(position: &P, depth: u32) -> u64 {
    let mut nodes = 0;
    position.for_each_move(
        #[inline(always)]
        |mv| {
            let next = position.play_unchecked(mv);
            nodes += if depth == 2 {
                next.count_moves()
            } else {
                bulk_perft(&next, depth - 1)
            };
        },
    );
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ataxx::Ataxx;

    #[test]
    fn perft_breaks_when_told_to() {
        let start = Ataxx::start(&Ataxx::RULESETS[0]);
        let mut asked = 0;
        let counted = start.perft_while(5, &mut || {
            asked += 1;
            asked < 10
        });
        assert_eq!(counted, ControlFlow::Break(()));
        assert_eq!(asked, 10);
    }

    #[test]
    fn an_illegal_move_is_explained() {
        let start = Ataxx::start(&Ataxx::RULESETS[0]);
        let mv = Ataxx::move_from_text("d4").unwrap();
        let RulesError::IllegalMove(message) = start.play(mv).unwrap_err() else {
            panic!("another kind of error");
        };
        assert!(message.starts_with("d4 is not legal: no piece of Red stands next to d4."));
    }
}
