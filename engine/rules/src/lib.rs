//! The rules of the games.
//!
//! One file a game; each implements [`Position`]. The crate knows nothing of
//! searching, of Python, of clocks on the wall or of the network.

mod error;
pub mod hash;
mod outcome;
mod position;
mod registry;
mod wording;

pub mod ataxx;
pub mod board8;
pub mod checkers;
pub mod loa;
pub mod random;
pub mod reasons;
pub mod reversi;

pub use error::RulesError;
pub use outcome::{Outcome, Side};
pub use position::{Position, Ruleset};
pub use registry::{AnyPosition, find_ruleset, rulesets};
