//! Ataxx on 7x7 squares, with blocks.
//!
//! Boards are 64-bit sets in rows of 8 bits: square a1 is bit 0, b1 bit 1, a2
//! bit 8. The spare eighth column stops a shift by one from wrapping.

mod explain;
mod moves;
mod reasons;
mod squares;
mod text;
mod zobrist;

use crate::{Outcome, Position, RulesError, Ruleset, Side};

pub use moves::Move;
pub use squares::{BOARD, JUMPS, NEIGHBOURS, Square, squares, within_one, within_two};

static RULESETS: [Ruleset; 2] = [
    Ruleset {
        id: "ataxx/cs61b-2022",
        game: "ataxx",
        title: "Ataxx, course rules",
        side_names: ["Red", "Blue"],
        description: "25 consecutive jumps by both sides together end the game, and the side with \
                      more pieces wins. A clone resets the count; a pass leaves it as it is.",
    },
    Ruleset {
        id: "ataxx/uai",
        game: "ataxx",
        title: "Ataxx, engine rules (UAI)",
        side_names: ["Black", "White"],
        description: "100 plies without a clone end the game in a draw; a pass counts as a ply.",
    },
];

/// How a ruleset ends a game that nobody advances.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
enum Rules {
    Cs61b = 0,
    Uai = 1,
}

impl Rules {
    const fn clock_limit(self) -> u8 {
        match self {
            Self::Cs61b => 25,
            Self::Uai => 100,
        }
    }

    const fn clock_after_pass(self, clock: u8) -> u8 {
        match self {
            Self::Cs61b => clock,
            Self::Uai => clock.saturating_add(1),
        }
    }

    const fn ruleset(self) -> &'static Ruleset {
        &RULESETS[self as usize]
    }
}

/// An Ataxx position.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ataxx {
    pieces: [u64; 2],
    blocks: u64,
    /// Zobrist hash of ruleset, blocks, pieces and side, kept up to date by every move.
    board_key: u64,
    turn: Side,
    rules: Rules,
    /// Consecutive jumps (course rules) or plies since the last clone (UAI).
    clock: u8,
    fullmove: u32,
}

impl Ataxx {
    /// The pieces of a side, as a set of squares.
    #[inline]
    pub const fn pieces(&self, side: Side) -> u64 {
        self.pieces[side.index()]
    }

    /// The blocked squares.
    #[inline]
    pub const fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The empty squares.
    #[inline]
    pub const fn empty(&self) -> u64 {
        BOARD & !(self.pieces[0] | self.pieces[1] | self.blocks)
    }

    /// Consecutive jumps (course rules) or plies since the last clone (UAI).
    #[inline]
    pub const fn clock(&self) -> u32 {
        self.clock as u32
    }

    /// The clock value that ends the game.
    #[inline]
    pub const fn clock_limit(&self) -> u32 {
        self.rules.clock_limit() as u32
    }

    /// Whether the clock ends the game in a draw (UAI), and not by the count of pieces.
    #[inline]
    pub const fn limit_is_a_draw(&self) -> bool {
        matches!(self.rules, Rules::Uai)
    }

    /// The opponent's pieces that a piece arriving on a square would turn.
    #[inline]
    pub fn captures(&self, to: Square) -> u64 {
        NEIGHBOURS[to.index()] & self.pieces[self.turn.opponent().index()]
    }

    /// Whether a side could move if it were its turn, ends of the game aside.
    #[inline]
    fn can_move(&self, side: Side) -> bool {
        within_two(self.pieces[side.index()]) & self.empty() != 0
    }

    /// Over by the clock or for want of pieces; cheaper than `outcome`.
    #[inline]
    fn is_stopped(&self) -> bool {
        self.pieces[0] == 0 || self.pieces[1] == 0 || self.clock >= self.rules.clock_limit()
    }

    fn side_name(&self, side: Side) -> &'static str {
        self.rules.ruleset().side_names[side.index()]
    }
}

impl Position for Ataxx {
    type Move = Move;

    const GAME: &'static str = "ataxx";
    const RULESETS: &'static [Ruleset] = &RULESETS;
    const NOTATIONS: &'static [&'static str] = &["cs61b"];

    fn start(ruleset: &'static Ruleset) -> Self {
        Self::from_text(ruleset, text::START).expect("the start position is valid")
    }

    fn from_text(ruleset: &'static Ruleset, text: &str) -> Result<Self, RulesError> {
        let rules = if ruleset == Rules::Uai.ruleset() {
            Rules::Uai
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
        self.board_key ^ zobrist::clock(self.clock)
    }

    fn search_key(&self) -> u64 {
        self.board_key
    }

    fn outcome(&self) -> Option<Outcome> {
        let [first, second] = self.counts();
        let more = match first.cmp(&second) {
            std::cmp::Ordering::Greater => Some(Side::First),
            std::cmp::Ordering::Less => Some(Side::Second),
            std::cmp::Ordering::Equal => None,
        };
        let (termination, winner) = if first == 0 || second == 0 {
            ("no-pieces", more)
        } else if !self.can_move(Side::First) && !self.can_move(Side::Second) {
            ("no-moves", more)
        } else if self.clock >= self.rules.clock_limit() {
            if self.limit_is_a_draw() {
                ("halfmove-limit", None)
            } else {
                ("jump-limit", more)
            }
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
        if self.is_stopped() {
            return;
        }
        let own = self.pieces[self.turn.index()];
        let empty = self.empty();
        let mut passing = true;
        for to in squares(within_one(own) & empty) {
            passing = false;
            visit(Move::Clone { to });
        }
        for from in squares(own) {
            for to in squares(JUMPS[from.index()] & empty) {
                passing = false;
                visit(Move::Jump { from, to });
            }
        }
        if passing && self.can_move(self.turn.opponent()) {
            visit(Move::Pass);
        }
    }

    #[inline]
    fn count_moves(&self) -> u64 {
        if self.is_stopped() {
            return 0;
        }
        let own = self.pieces[self.turn.index()];
        let empty = self.empty();
        let clones = (within_one(own) & empty).count_ones();
        // A jump leads from a piece to an empty square, so either end can be walked.
        let (few, many) = if own.count_ones() < empty.count_ones() {
            (own, empty)
        } else {
            (empty, own)
        };
        let jumps: u32 = squares(few)
            .map(|square| (JUMPS[square.index()] & many).count_ones())
            .sum();
        match clones + jumps {
            0 => u64::from(self.can_move(self.turn.opponent())),
            moves => u64::from(moves),
        }
    }

    #[inline]
    fn is_legal(&self, mv: Move) -> bool {
        if self.is_stopped() {
            return false;
        }
        let own = self.pieces[self.turn.index()];
        match mv {
            Move::Pass => !self.can_move(self.turn) && self.can_move(self.turn.opponent()),
            Move::Clone { to } => within_one(own) & self.empty() & to.bit() != 0,
            Move::Jump { from, to } => {
                own & from.bit() != 0 && JUMPS[from.index()] & self.empty() & to.bit() != 0
            }
        }
    }

    #[inline]
    fn play_unchecked(&self, mv: Move) -> Self {
        let mut next = self.clone();
        let (us, them) = (self.turn.index(), self.turn.opponent().index());
        next.turn = self.turn.opponent();
        next.board_key ^= zobrist::SIDE;
        next.fullmove = self.fullmove.saturating_add(us as u32);
        let to = match mv {
            Move::Pass => {
                next.clock = self.rules.clock_after_pass(self.clock);
                return next;
            }
            Move::Clone { to } => {
                next.clock = 0;
                to
            }
            Move::Jump { from, to } => {
                next.clock = self.clock.saturating_add(1);
                next.pieces[us] ^= from.bit();
                next.board_key ^= zobrist::piece(us, from);
                to
            }
        };
        let turned = self.captures(to);
        next.pieces[us] |= turned | to.bit();
        next.pieces[them] ^= turned;
        next.board_key ^= zobrist::piece(us, to);
        for square in squares(turned) {
            next.board_key ^= zobrist::turned(square);
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
            Move::Clone { to } => vec![to.to_string()],
            Move::Jump { from, to } => vec![from.to_string(), to.to_string()],
        }
    }

    fn move_from_text(text: &str) -> Result<Move, RulesError> {
        text::read_move(text).map_err(RulesError::InvalidMove)
    }

    fn parse_move(&self, text: &str) -> Result<Move, RulesError> {
        let attempt = text::read_attempt(text).map_err(RulesError::InvalidMove)?;
        attempt
            .as_move(self.pieces[self.turn.index()])
            .filter(|&mv| self.is_legal(mv))
            .ok_or_else(|| RulesError::IllegalMove(explain::illegal(self, attempt)))
    }

    fn format_move(&self, mv: Move, notation: &str) -> Option<String> {
        (notation == "cs61b").then(|| text::cs61b(self, mv))
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
            let counts: Vec<u64> = (0..=5).map(|d| Ataxx::start(ruleset).perft(d)).collect();
            assert_eq!(counts, [1, 16, 256, 6460, 155_888, 4_752_668]);
        }
    }

    #[test]
    fn the_keys_kept_up_by_moves_are_those_of_the_text() {
        let mut position = Ataxx::start(&RULESETS[1]);
        let mut ply = 0;
        while position.outcome().is_none() {
            let moves = position.legal_moves();
            position = position.play(moves[(7 * ply) % moves.len()]).unwrap();
            let again = Ataxx::from_text(&RULESETS[1], &position.text()).unwrap();
            assert_eq!(again, position);
            assert_eq!(again.search_key(), position.search_key());
            ply += 1;
        }
        assert!(ply > 20);
    }

    #[test]
    fn the_clock_changes_the_key_but_not_the_search_key() {
        let [fresh, late] = ["0", "24"].map(|clock| {
            Ataxx::from_text(&RULESETS[0], &format!("x5o/7/7/7/7/7/o5x x {clock} 1")).unwrap()
        });
        assert_ne!(fresh.key(), late.key());
        assert_eq!(fresh.search_key(), late.search_key());
    }

    #[test]
    fn no_move_panics_even_where_it_is_not_legal() {
        let position = Ataxx::start(&RULESETS[0]);
        for code in 0..=0xffff_u64 {
            if let Ok(mv) = Move::try_from(code) {
                assert_eq!(u64::from(mv), code);
                assert_eq!(Ataxx::move_from_text(&Ataxx::move_text(mv)), Ok(mv));
                let _ = position.play_unchecked(mv);
                assert_eq!(position.play(mv).is_ok(), position.is_legal(mv));
            }
        }
    }

    #[test]
    fn steps_and_jumps_do_not_wrap_around_the_edges() {
        for square in squares(BOARD) {
            let near = NEIGHBOURS[square.index()] | square.bit();
            assert_eq!(within_one(square.bit()), near);
            assert_eq!(within_two(square.bit()), near | JUMPS[square.index()]);
            assert!([4, 6, 9].contains(&near.count_ones()));
        }
    }
}
