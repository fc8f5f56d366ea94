//! Ataxx on 7x7 squares, with blocks.
//!
//! Boards are 64-bit sets in rows of 8 bits: square a1 is bit 0, b1 bit 1, a2
//! bit 8. The spare eighth column stops a shift by one from wrapping.

mod explain;
mod moves;
mod text;
mod zobrist;

use crate::{Outcome, Position, RulesError, Ruleset, Side};

use moves::{JUMPS, NEIGHBOURS};
pub use moves::{Move, Square};

/// The 49 squares of the board.
pub const BOARD: u64 = 0x007f_7f7f_7f7f_7f7f;

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

/// All squares at most one step from a set, the set included.
#[inline]
pub const fn within_one(set: u64) -> u64 {
    let wide = set | (set << 1) | (set >> 1);
    (wide | (wide << 8) | (wide >> 8)) & BOARD
}

/// All squares at most two steps from a set, the set included.
#[inline]
pub const fn within_two(set: u64) -> u64 {
    within_one(within_one(set))
}

/// The squares of a set, from a1 upwards.
#[inline]
pub fn squares(mut set: u64) -> impl Iterator<Item = Square> {
    std::iter::from_fn(move || {
        if set == 0 {
            return None;
        }
        let square = Square::from_bit(set);
        set &= set - 1;
        Some(square)
    })
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
            match self.rules {
                Rules::Cs61b => ("jump-limit", more),
                Rules::Uai => ("halfmove-limit", None),
            }
        } else {
            return None;
        };
        Some(Outcome {
            termination,
            winner,
        })
    }

    #[inline]
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
}
