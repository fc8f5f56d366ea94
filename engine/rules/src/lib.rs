//! The rules of the games.
//!
//! One file a game; each implements [`Position`]. The crate knows nothing of
//! searching, of Python, of clocks on the wall or of the network.

mod error;
mod outcome;
mod position;
mod registry;

pub mod ataxx;

pub use error::RulesError;
pub use outcome::{Outcome, Side};
pub use position::{Position, Ruleset};
pub use registry::{AnyPosition, find_ruleset, rulesets};
