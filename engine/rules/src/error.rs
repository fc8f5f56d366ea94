//! What can be wrong with a move, a position or a name.

use std::fmt;

/// A refusal, with a message for a person: what, why, and what would be possible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RulesError {
    /// The text is not a move of this game at all.
    InvalidMove(String),
    /// It is a move, but the rules forbid it here.
    IllegalMove(String),
    /// The text is not a position of this game.
    InvalidPosition(String),
    /// No ruleset or game has this name.
    UnknownRuleset(String),
}

impl RulesError {
    /// The message alone, without the kind.
    pub fn message(&self) -> &str {
        match self {
            Self::InvalidMove(message)
            | Self::IllegalMove(message)
            | Self::InvalidPosition(message)
            | Self::UnknownRuleset(message) => message,
        }
    }
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for RulesError {}
