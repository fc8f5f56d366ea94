//! How a game ends with best play.

/// What an exact search has proved of a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ending<M> {
    /// A move that leads to `lower` at least.
    pub best: M,
    /// The side to move ends at least so many pieces ahead.
    pub lower: i32,
    /// And at most so many.
    pub upper: i32,
    /// Best play, `best` first; up to the end of the game when both bounds are equal.
    pub line: Vec<M>,
}

impl<M> Ending<M> {
    /// 1, 0 or -1 when it is proved that the side to move wins, draws or loses.
    pub fn result(&self) -> Option<i32> {
        let (lower, upper) = (self.lower.signum(), self.upper.signum());
        (lower == upper).then_some(lower)
    }

    /// By how many pieces the side to move wins, when that is proved.
    pub fn margin(&self) -> Option<i32> {
        (self.lower == self.upper).then_some(self.lower)
    }
}

/// How a game ends with best play, known without a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known<M> {
    /// 1, 0 or -1 when the side to move wins, draws or loses.
    pub result: i32,
    /// Plies until then; 0 for a draw.
    pub plies: u32,
    /// Best play; up to the end of the game when it is won or lost, else one move.
    pub line: Vec<M>,
}
