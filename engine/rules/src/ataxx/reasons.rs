//! Reasons for a move of Ataxx.

use super::{Ataxx, Move, within_one, within_two};
use crate::reasons::{most_taken, name, taken};

pub fn of(before: &Ataxx, mv: Move, after: &Ataxx) -> Option<String> {
    let (to, grows) = match mv {
        Move::Clone { to } => (to.bit(), true),
        Move::Jump { to, .. } => (to.bit(), false),
        Move::Pass => return None,
    };
    let other = name(after);
    let safe = most_taken(after) == 0;
    match (taken(before, after), grows) {
        (0, false) => None,
        (0, true) => {
            let reached = before.pieces(after.turn) & within_two(to) != 0;
            if !reached && before.empty() & within_one(to) == to {
                return Some(format!("fills a gap that {other} cannot reach now"));
            }
            Some(if safe {
                format!("grows by 1 where {other} can take nothing")
            } else {
                "grows by 1".into()
            })
        }
        (taken, _) => {
            let growth = if grows { " and grows by 1" } else { "" };
            let back = if safe {
                format!(", and {other} can take nothing back")
            } else {
                String::new()
            };
            Some(format!("takes {taken}{growth}{back}"))
        }
    }
}
