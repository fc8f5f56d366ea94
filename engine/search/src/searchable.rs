//! What a search needs to know of a game beyond its rules.

use ataxxd_rules::hash::STEP;
use ataxxd_rules::{Position, Side};

use crate::bounds::BoundsTable;
use crate::limits::Budget;
use crate::win_finder::HORIZON;
use crate::{Ending, Known, Monitor};

/// A game that can be searched.
///
/// Every method has a default that is right for any game; overriding them makes the
/// search stronger or faster. The `wins` group must stay sound: the promise that no
/// short win is missed rests on it.
pub trait Searchable: Position {
    /// By how much the margins of the pruning are wider than in Ataxx, where the worth of
    /// positions changes less from move to move.
    const MARGIN_SCALE: i32 = 1;

    /// After so many moves quiet ones, which gain nothing, are not tried: for games where they are
    /// hardly ever good.
    const QUIET_MOVES: usize = usize::MAX;

    /// Moves within which every forced win is proved before the search proper.
    ///
    /// Less where `cannot_win_within` rules out too little to afford more; longer wins are
    /// then found as the search goes deeper, but without the promise.
    const WIN_HORIZON: u32 = HORIZON;

    /// The share of the time, in percent, that may go into proving them.
    const WIN_SHARE: u32 = 60;

    /// Positions that these proofs may visit where no time bounds them: about two seconds of a slow
    /// machine, and several times the longest proof that random games have come to.
    const MOST_IN_PROOFS: u64 = 25_000_000;

    /// Whether a forced win is a row of threats: who can hold out when it passes can hold out.
    ///
    /// Zugzwang is forgotten then, and the promise holds but for that.
    const WINS_BY_THREATS: bool = false;

    /// How good the position is for the side to move, in centipieces, within ±20000.
    fn evaluate(&self) -> i32 {
        let counts = self.counts().map(|count| count as i32);
        let side = self.turn();
        100 * (counts[side.index()] - counts[side.opponent().index()])
    }

    /// What a position is worth to the second side, finished games included, for plain
    /// [`alphabeta`](crate::alphabeta()).
    fn plain_value(&self) -> i32 {
        let value = match self.result() {
            Some(result) => result * PLAIN_WIN,
            None => self.evaluate(),
        };
        match self.turn() {
            Side::First => -value,
            Side::Second => value,
        }
    }

    /// How promising a legal move is, for the order in which plain alpha-beta tries moves.
    fn plain_order(&self, mv: Self::Move) -> i32 {
        self.gain(mv)
    }

    /// What a legal move wins at once, in centipieces; for ordering and pruning.
    fn gain(&self, _mv: Self::Move) -> i32 {
        0
    }

    /// What speaks for a legal move beside its gain, in centipieces; for ordering alone.
    fn ordering_bonus(_mv: Self::Move) -> i32 {
        0
    }

    /// Where the history of a move is kept, below [`HISTORY_SLOTS`].
    #[inline]
    fn history_slot(mv: Self::Move) -> usize {
        usize::from(Self::move_tag(mv)) % HISTORY_SLOTS
    }

    /// A short name of a move for the table; a clash within a position costs only time.
    #[inline]
    fn move_tag(mv: Self::Move) -> u16 {
        let code: u64 = mv.into();
        (code.wrapping_mul(STEP) >> 48) as u16 | 1
    }

    /// The key of the transposition table.
    ///
    /// It may leave out counters that cannot matter within [`COUNTER_HORIZON`] plies.
    #[inline]
    fn table_key(&self) -> u64 {
        self.key()
    }

    /// 1, 0 or -1 when the game is over and won, drawn or lost for the side to move.
    #[inline]
    fn result(&self) -> Option<i32> {
        let outcome = self.outcome()?;
        Some(match outcome.winner {
            None => 0,
            Some(side) if side == self.turn() => 1,
            Some(_) => -1,
        })
    }

    /// The position with the other side to move, where skipping a move never helps; else `None`.
    ///
    /// The search asks it "and if I did nothing?" (null move pruning).
    fn after_null_move(&self) -> Option<Self> {
        None
    }

    /// A move that ends the game with a win at once, if there is one.
    fn winning_move(&self) -> Option<Self::Move> {
        let side = self.turn();
        let wins = |&mv: &Self::Move| {
            let outcome = self.play_unchecked(mv).outcome();
            outcome.is_some_and(|outcome| outcome.winner == Some(side))
        };
        self.legal_moves().into_iter().find(wins)
    }

    /// Plies within which a win is kept in the table; further ones are found again. At most
    /// `MOST_KNOWN_PLIES`, or deep in a line it would not count as one.
    const KEPT_WIN: i32 = COUNTER_HORIZON;

    /// Called before each search, for what is better prepared in the background.
    fn begin_preparing() {}

    /// Unpacks what searches need, for callers whose clocks do not run yet; else it is unpacked
    /// when it is first needed.
    fn prepare() {
        Self::start(&Self::RULESETS[0]).evaluate();
    }

    /// How the game ends with best play, where that is known without a search: 1, 0 or -1 when the
    /// side to move wins, draws or loses, and in how many plies, at most
    /// `MOST_KNOWN_PLIES`. Finished games are not asked for.
    #[inline]
    fn known_end(&self) -> Option<(i32, u32)> {
        None
    }

    /// Best play from a position whose end is known, the best move first.
    fn known_line(&self) -> Option<Known<Self::Move>> {
        None
    }

    /// What `solve_ending` would take; `None` where it is not to be tried at all.
    fn ending_cost(&self) -> Option<EndingCost> {
        None
    }

    /// Proves how the game ends with best play, as far as the budget reaches.
    ///
    /// It is called where `ending_cost` says that the limits allow it.
    fn solve_ending(
        &self,
        _budget: &mut Budget<'_>,
        _monitor: &mut impl Monitor<Self::Move>,
        _table: &mut BoundsTable,
    ) -> Option<Ending<Self::Move>> {
        None
    }

    /// Calls `visit` with every move by which the side to move, winning with `moves` moves,
    /// could begin; moves that certainly do not win that soon may be left out.
    fn for_each_attack(&self, _moves: u32, visit: impl FnMut(Self::Move)) {
        self.for_each_move(visit);
    }

    /// Whether it is certain that `side` cannot have won by force once it has made `moves` more
    /// moves and the opponent has answered the last one. `false` claims nothing.
    fn cannot_win_within(&self, _side: Side, _moves: u32) -> bool {
        false
    }
}

/// What it takes to solve the rest of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndingCost {
    /// Moves until the end, of both sides together.
    pub plies: u32,
    /// Positions to visit, about.
    pub nodes: u64,
}

/// Places for the history of moves, of each side.
pub const HISTORY_SLOTS: usize = 4096;

/// Plies within which a counter left out of `table_key` cannot end the game.
///
/// Wins that are further away are not kept in the table, so none is believed where
/// another count of the counter would spoil it.
pub const COUNTER_HORIZON: i32 = 16;

/// What `plain_value` makes of a game that is won; beyond every evaluation.
const PLAIN_WIN: i32 = 30_000;
