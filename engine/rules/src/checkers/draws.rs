//! What the draw rules have to remember: the positions since the last capture or man's move.
//!
//! A move that captures or moves a man can never be taken back on the board, so nothing
//! before it can come again.

use std::sync::Arc;

use crate::hash::mix;

/// The pieces of both sides, and the kings among them.
pub type Board = [u64; 3];

/// Plies without a capture or a man's move that make a draw: 40 moves of each side.
pub const PLY_LIMIT: u8 = 80;

/// How many occurrences of a position make a draw.
pub const OCCURRENCES: u8 = 3;

/// After a capture or a man's move there is no draw before this: a position recurs after four plies at best.
pub const UNDRAWN_PLIES: u32 = 4 * (OCCURRENCES as u32 - 1);

/// An earlier position, linked to those before it, back to the last irreversible move.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Earlier {
    board: Board,
    hash: u64,
    before: Option<Arc<Self>>,
}

/// What came since the last capture or man's move.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct History {
    /// Plies since then.
    plies: u8,
    /// How often the position on the board has come, this time included.
    occurrences: u8,
    last: Option<Arc<Earlier>>,
}

impl History {
    /// An empty history; `plies` counts those whose positions are not known.
    pub const fn unknown(plies: u8) -> Self {
        Self {
            plies,
            occurrences: 1,
            last: None,
        }
    }

    /// Plies since the last capture or man's move.
    #[inline]
    pub const fn plies(&self) -> u8 {
        self.plies
    }

    /// How often the position on the board has come, this time included.
    #[inline]
    pub const fn occurrences(&self) -> u8 {
        self.occurrences
    }

    /// The history after a king's step from one board to another.
    pub fn after(&self, old: Board, new: Board) -> Self {
        let hash = self.last.as_ref().map_or(0, |earlier| earlier.hash);
        let last = Arc::new(Earlier {
            board: old,
            // A sum, because the order does not matter to what can be repeated.
            hash: hash.wrapping_add(old.into_iter().fold(u64::from(self.plies & 1), mix)),
            before: self.last.clone(),
        });
        // The side to move is the same in every second position.
        let mut occurrences = 1;
        let mut earlier = last.before.as_deref();
        while let Some(same_side) = earlier {
            occurrences += u8::from(same_side.board == new);
            earlier = same_side
                .before
                .as_deref()
                .and_then(|other_side| other_side.before.as_deref());
        }
        Self {
            plies: self.plies.saturating_add(1),
            occurrences,
            last: Some(last),
        }
    }

    /// Boards from the newest earlier one back.
    pub fn boards(&self) -> impl Iterator<Item = Board> {
        let mut next = self.last.as_deref();
        std::iter::from_fn(move || {
            let earlier = next?;
            next = earlier.before.as_deref();
            Some(earlier.board)
        })
    }

    /// A hash of the plies and of what came before; 0 for none.
    pub fn key(&self) -> u64 {
        match (&self.last, self.plies) {
            (None, 0) => 0,
            (None, plies) => mix(0, u64::from(plies)),
            (Some(earlier), plies) => mix(earlier.hash, u64::from(plies)),
        }
    }
}
