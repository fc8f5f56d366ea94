//! Chooses moves: a search over any game of `ataxxd-rules`.
//!
//! A game takes part by implementing [`Searchable`] and the traits below it, in a file of its
//! own. A search first proves or refutes a short forced win ([`win_finder`]), then deepens a
//! principal variation search until a limit ends it. The crate knows nothing of Python, of
//! books or of clocks other than the time limit it is given.

mod alphabeta;
pub mod ataxx;
mod bits;
mod bounds;
pub mod checkers;
mod clock;
mod coder;
mod ending;
mod evaluate;
mod helpers;
mod instability;
mod limits;
pub mod loa;
mod logarithm;
pub mod net;
mod noise;
mod ordering;
mod pruning;
mod pvs;
mod report;
pub mod reversi;
mod root;
mod score;
mod searchable;
mod searcher;
mod ternary;
mod tt;
mod tuning;
pub mod win_finder;

pub use alphabeta::{Choice, PlainValue, alphabeta};
pub use ending::{Endgame, Ending, EndingCost, Known};
pub use evaluate::{Evaluate, Evaluator, FromScratch};
pub use limits::{Limits, MAX_TEMPERATURE};
pub use report::{Monitor, Report, Silent};
pub use searchable::{COUNTER_HORIZON, HISTORY_SLOTS, Searchable};
pub use searcher::{Searcher, prepare};
pub use tuning::{Changes, Parameter, Tuning, Unfit, parameters};
pub use win_finder::ForcedWins;
