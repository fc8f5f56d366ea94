//! The value of a board in the tables: who wins, and in how many plies.

/// The end of the game with best play, as the side to move sees it.
///
/// The winner makes it as short as can be, the loser as long as can be; the draw rules that
/// count moves or repetitions are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Neither side can force a win.
    Draw,
    /// The side to move wins; the last ply is its own.
    Win {
        /// Plies until the opponent cannot move.
        plies: u32,
    },
    /// The side to move loses; 0 plies when it cannot move.
    Loss {
        /// Plies until the side to move cannot move.
        plies: u32,
    },
}

impl Verdict {
    /// A byte: 0 for a draw, else one more than the plies, of which a win takes an odd number.
    #[inline]
    pub const fn code(self) -> u8 {
        match self {
            Self::Draw => 0,
            Self::Win { plies } | Self::Loss { plies } => plies as u8 + 1,
        }
    }

    /// The verdict of a byte that `code` made.
    #[inline]
    pub const fn of_code(code: u8) -> Self {
        match code {
            0 => Self::Draw,
            _ if code % 2 == 0 => Self::Win {
                plies: code as u32 - 1,
            },
            _ => Self::Loss {
                plies: code as u32 - 1,
            },
        }
    }
}

/// Gathers what moves lead to and says what that makes of the board before them.
#[derive(Debug, Clone, Copy, Default)]
pub struct Best {
    quickest_win: Option<u32>,
    draw: bool,
    longest_loss: u32,
}

impl Best {
    /// Takes note of a move, after which the opponent is to move.
    #[inline]
    pub fn add(&mut self, after: Verdict) {
        match after {
            Verdict::Draw => self.draw = true,
            Verdict::Loss { plies } => {
                self.quickest_win = Some(self.quickest_win.map_or(plies, |best| best.min(plies)));
            }
            Verdict::Win { plies } => self.longest_loss = self.longest_loss.max(plies + 1),
        }
    }

    /// The verdict on the board; a side without moves has lost.
    #[inline]
    pub const fn verdict(self) -> Verdict {
        match self {
            Self {
                quickest_win: Some(plies),
                ..
            } => Verdict::Win { plies: plies + 1 },
            Self { draw: true, .. } => Verdict::Draw,
            Self { longest_loss, .. } => Verdict::Loss {
                plies: longest_loss,
            },
        }
    }
}
