//! Finds every short forced win by exhaustive proof.
//!
//! The search proper prunes by guesses; this one does not. It asks, for one, two, three
//! and four moves, whether the side to move can force a win with that many, and tries
//! every move of the attacker against every answer of the defender, but for what
//! [`ForcedWins::cannot_win_within`] rules out for certain. In most positions of a game
//! those bounds leave next to nothing to try.

use std::sync::atomic::AtomicBool;

use ataxxd_rules::{Position, Side};

use crate::limits::Budget;
use crate::{Limits, Monitor, Searchable, Silent};

/// A game that knows its short wins; by default every move is tried.
///
/// This must stay sound: the promise that no short win is missed rests on it.
pub trait ForcedWins: Position {
    /// A move that ends the game with a win at once, if there is one.
    fn winning_move(&self) -> Option<Self::Move> {
        let side = self.turn();
        let wins = |&mv: &Self::Move| {
            let outcome = self.play_unchecked(mv).outcome();
            outcome.is_some_and(|outcome| outcome.winner == Some(side))
        };
        self.legal_moves().into_iter().find(wins)
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

/// Moves of the winner within which no forced win is missed.
pub const HORIZON: u32 = 4;

/// How many positions of a search a position takes, where it takes the longest: in Lines of Action. It
/// decides how often the clock is read.
const STEPS: u64 = 8;

/// Entries of the proof table: half a mebibyte.
const PROOFS: usize = 1 << 15;

/// A proof for a position and an attacker: wins within `proved` moves, not within `refuted`.
#[derive(Debug, Clone, Copy, Default)]
struct Proof {
    key: u64,
    /// 0 while no win is known.
    proved: u8,
    refuted: u8,
}

/// A table of proofs, which hold whatever is searched next.
#[derive(Debug)]
pub(crate) struct ProofTable(Vec<Proof>);

impl ProofTable {
    pub fn new() -> Self {
        Self(vec![Proof::default(); PROOFS])
    }

    pub fn clear(&mut self) {
        self.0.fill(Proof::default());
    }

    #[inline]
    fn get(&self, key: u64) -> Proof {
        let proof = self.0[key as usize & (PROOFS - 1)];
        if proof.key == key {
            proof
        } else {
            Proof {
                key,
                ..Proof::default()
            }
        }
    }

    #[inline]
    fn settle(&mut self, mut proof: Proof, moves: u32, won: bool) {
        if !won {
            proof.refuted = proof.refuted.max(moves as u8);
        } else if proof.proved == 0 || proof.proved > moves as u8 {
            proof.proved = moves as u8;
        }
        self.0[proof.key as usize & (PROOFS - 1)] = proof;
    }
}

impl Proof {
    fn verdict(self, moves: u32) -> Option<bool> {
        if self.proved != 0 && u32::from(self.proved) <= moves {
            Some(true)
        } else if u32::from(self.refuted) >= moves {
            Some(false)
        } else {
            None
        }
    }
}

/// A forced win.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Win<M> {
    /// Moves of the winner, the fewest that suffice.
    pub moves: u32,
    /// The winner's moves and the longest resistance, up to the end of the game.
    pub line: Vec<M>,
}

/// The shortest forced win of the side to move within `moves` moves, if there is one, and how
/// many positions it took to know.
///
/// There is no limit but the size of the question.
pub fn forced_win<P: Searchable>(position: &P, moves: u32) -> (Option<Win<P::Move>>, u64) {
    let stop = AtomicBool::new(false);
    let mut budget = Budget::new(&Limits::default(), &stop);
    let (mut monitor, mut proofs) = (Silent, ProofTable::new());
    let mut finder = WinFinder::new(&mut budget, &mut monitor, &mut proofs, position);
    if position.outcome().is_some() {
        return (None, 0);
    }
    let win = finder.find(position, moves.min(HORIZON));
    (win, finder.visited)
}

/// One question to the win finder.
pub(crate) struct WinFinder<'a, 'b, P: Searchable, M> {
    budget: &'a mut Budget<'b>,
    monitor: &'a mut M,
    proofs: &'a mut ProofTable,
    attacker: Side,
    /// Moves of all positions under way, with their order.
    moves: Vec<(i32, P::Move)>,
    /// The defence that refuted the last attack, by moves left.
    defences: [Option<P::Move>; HORIZON as usize + 1],
    visited: u64,
    most_visited: u64,
}

impl<'a, 'b, P: Searchable, M: Monitor<P::Move>> WinFinder<'a, 'b, P, M> {
    pub fn new(
        budget: &'a mut Budget<'b>,
        monitor: &'a mut M,
        proofs: &'a mut ProofTable,
        position: &P,
    ) -> Self {
        Self {
            budget,
            monitor,
            proofs,
            attacker: position.turn(),
            moves: Vec::with_capacity(1024),
            defences: [None; HORIZON as usize + 1],
            visited: 0,
            most_visited: u64::MAX,
        }
    }

    /// The same, bounded by the positions it visits if no time limit bounds it.
    pub fn bounded(mut self) -> Self {
        if !self.budget.has_time_limit() {
            self.most_visited = P::TUNING.most_in_proofs;
        }
        self
    }

    /// The shortest forced win of the side to move within `moves` moves.
    ///
    /// `None` says that there is none, or that the budget was spent.
    pub fn find(&mut self, position: &P, moves: u32) -> Option<Win<P::Move>> {
        let moves = (1..=moves).find(|&moves| self.attack(position, moves))?;
        let mut line = Vec::new();
        self.line_of(position, moves, &mut line);
        (!self.budget.is_stopped()).then_some(Win { moves, line })
    }

    /// Counts a position; `false` once the budget is spent.
    fn step(&mut self) -> bool {
        self.visited += 1;
        if self.visited > self.most_visited {
            self.budget.give_up();
        }
        self.budget.spend_steps(STEPS, self.monitor)
    }

    /// Whether the attacker, to move in an unfinished game, wins within `moves` moves.
    fn attack(&mut self, position: &P, moves: u32) -> bool {
        self.winning_attack(position, moves).is_some()
    }

    /// A move that wins within `moves` moves, answers included.
    fn winning_attack(&mut self, position: &P, moves: u32) -> Option<P::Move> {
        if !self.step() {
            return None;
        }
        if let Some(mv) = position.winning_move() {
            return Some(mv);
        }
        let base = self.moves.len();
        position.for_each_attack(moves, |mv| self.moves.push((position.gain(mv), mv)));
        self.moves[base..].sort_by_key(|&(gain, _)| -gain);
        let mut winner = None;
        for index in base..self.moves.len() {
            let mv = self.moves[index].1;
            let child = position.play_unchecked(mv);
            if self.holds_out(&child, moves - 1) {
                continue;
            }
            winner = Some(mv);
            break;
        }
        self.moves.truncate(base);
        winner.filter(|_| !self.budget.is_stopped())
    }

    /// Whether the defender, to move, can avoid losing to `moves` more moves.
    ///
    /// Says yes when the budget is spent.
    fn holds_out(&mut self, position: &P, moves: u32) -> bool {
        if !self.step() || position.cannot_win_within(self.attacker, moves) {
            return true;
        }
        if let Some(result) = position.result() {
            return result >= 0;
        }
        let key = self.proof_key(position);
        let proof = self.proofs.get(key);
        if let Some(won) = proof.verdict(moves + 1) {
            return !won;
        }
        let holds =
            self.need_not_answer(position, moves) || self.defence(position, moves).is_some();
        if self.budget.is_stopped() {
            return true;
        }
        self.proofs.settle(proof, moves + 1, !holds);
        holds
    }

    /// Whether the defender could pass and hold out, and passing is never better than all moves.
    fn need_not_answer(&mut self, position: &P, moves: u32) -> bool {
        if !P::TUNING.wins_by_threats || moves == 0 {
            return false;
        }
        let passed = position.after_null_move();
        passed.is_some_and(|passed| !self.attack(&passed, moves))
    }

    /// An answer after which the attacker does not win within `moves` moves.
    fn defence(&mut self, position: &P, moves: u32) -> Option<P::Move> {
        let slot = moves as usize;
        let usual = self.defences[slot].filter(|&mv| position.is_legal(mv));
        if usual.is_some_and(|mv| self.defends(position, mv, moves)) {
            return usual;
        }
        let base = self.moves.len();
        position.for_each_move(|mv| self.moves.push((position.gain(mv), mv)));
        self.moves[base..].sort_by_key(|&(gain, _)| -gain);
        let mut found = None;
        for index in base..self.moves.len() {
            let mv = self.moves[index].1;
            if Some(mv) != usual && self.defends(position, mv, moves) {
                self.defences[slot] = Some(mv);
                found = Some(mv);
                break;
            }
        }
        self.moves.truncate(base);
        found
    }

    /// Whether after the defender's move the attacker does not win within `moves` moves.
    fn defends(&mut self, position: &P, mv: P::Move, moves: u32) -> bool {
        let child = position.play_unchecked(mv);
        match child.result() {
            Some(result) => result <= 0,
            None => moves == 0 || !self.attack(&child, moves),
        }
    }

    /// Tells apart the same position with the other side attacking.
    fn proof_key(&self, position: &P) -> u64 {
        position.key() ^ [0, 0x5851_f42d_4c95_7f2d][self.attacker.index()]
    }

    /// Appends a line of best play from a position won within `moves` moves and not sooner.
    fn line_of(&mut self, position: &P, moves: u32, line: &mut Vec<P::Move>) {
        let Some(attack) = self.winning_attack(position, moves) else {
            return;
        };
        line.push(attack);
        let child = position.play_unchecked(attack);
        if child.result().is_some() {
            return;
        }
        let mut longest: Option<(u32, P::Move)> = None;
        for mv in child.legal_moves() {
            let next = child.play_unchecked(mv);
            let needed = match next.result() {
                Some(_) => 0,
                None => (1..moves)
                    .find(|&fewer| self.attack(&next, fewer))
                    .unwrap_or(0),
            };
            if longest.is_none_or(|(most, _)| needed > most) {
                longest = Some((needed, mv));
            }
        }
        if let Some((needed, mv)) = longest {
            line.push(mv);
            let next = child.play_unchecked(mv);
            if needed > 0 && !self.budget.is_stopped() {
                self.line_of(&next, needed, line);
            }
        }
    }
}
