//! The static evaluation of positions and moves.

use ataxxd_rules::Position;

/// A game whose positions can be judged without looking ahead; by default by the pieces.
pub trait Evaluate: Position {
    /// How the search evaluates its positions; [`FromScratch`] fits any game.
    type Evaluator: Evaluator<Self>;

    /// How good the position is for the side to move, in centipieces, within ±20000.
    fn evaluate(&self) -> i32 {
        let counts = self.counts().map(|count| count as i32);
        let side = self.turn();
        100 * (counts[side.index()] - counts[side.opponent().index()])
    }

    /// What a legal move wins at once, in centipieces; for ordering and pruning.
    fn gain(&self, _mv: Self::Move) -> i32 {
        0
    }

    /// What a legal move seems to be worth to a beginner, in centipieces: what it takes, whatever the answer is.
    fn first_sight(&self, mv: Self::Move) -> i32 {
        self.gain(mv)
    }

    /// Calls `visit` with every legal move, in the order of `for_each_move`, and its `gain`.
    #[inline(always)]
    fn for_each_gain(&self, mut visit: impl FnMut(Self::Move, i32)) {
        self.for_each_move(
            #[inline(always)]
            |mv| visit(mv, self.gain(mv)),
        );
    }

    /// What speaks for a legal move beside its gain, in centipieces; for ordering alone.
    fn ordering_bonus(_mv: Self::Move) -> i32 {
        0
    }

    /// 1, 0 or -1 when the game is over and won, drawn or lost for the side to move.
    #[inline(always)]
    fn result(&self) -> Option<i32> {
        let outcome = self.outcome()?;
        Some(match outcome.winner {
            None => 0,
            Some(side) if side == self.turn() => 1,
            Some(_) => -1,
        })
    }

    /// Unpacks what `evaluate` needs; else it is unpacked when it is first needed.
    fn load_weights() {
        Self::start(&Self::RULESETS[0]).evaluate();
    }
}

/// Evaluates the positions of a search, each of which differs little from its parent.
pub trait Evaluator<P>: Default {
    /// The value by [`Evaluate::evaluate`] of a position at a ply from the root, whose children will be evaluated next.
    fn evaluate(&mut self, position: &P, ply: usize) -> i32;

    /// The same for a position without children in the search.
    fn evaluate_leaf(&mut self, position: &P, ply: usize) -> i32;
}

/// Evaluates each position on its own.
#[derive(Debug, Default)]
pub struct FromScratch;

impl<P: Evaluate> Evaluator<P> for FromScratch {
    #[inline(always)]
    fn evaluate(&mut self, position: &P, _ply: usize) -> i32 {
        position.evaluate()
    }

    #[inline(always)]
    fn evaluate_leaf(&mut self, position: &P, _ply: usize) -> i32 {
        position.evaluate()
    }
}
