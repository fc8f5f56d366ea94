//! Reasons for a move of reversi.

use super::{Move, Reversi, targets};
use crate::board8::{ROW_1, Square, squares};
use crate::reasons::{counted, name, taken};

const CORNERS: u64 = 1 | 1 << 7 | 1 << 56 | 1 << 63;
/// The squares from a1 and from a8 to the right, and those of the columns a and h.
const EDGES: [u64; 4] = [ROW_1, ROW_1 << 7, 0xff, 0xff << 56];

pub fn of(before: &Reversi, mv: Move, after: &Reversi) -> Option<String> {
    let Move::Place { to } = mv else {
        return None;
    };
    if to.bit() & CORNERS != 0 {
        return Some(format!("takes the corner {to}"));
    }
    let other = name(after);
    let (own, theirs) = before.own_and_other();
    // Where the other side could go if this move were not made, and where it can now.
    let (otherwise, now) = (targets(theirs, own), after.targets());
    let kept: Vec<_> = squares(CORNERS & otherwise & !now)
        .map(|corner| corner.to_string())
        .collect();
    if !kept.is_empty() {
        let plural = if kept.len() > 1 { "s" } else { "" };
        let corners = kept.join(" and ");
        return Some(format!("keeps {other} from the corner{plural} {corners}"));
    }
    if EDGES.into_iter().any(|edge| is_settled(after, edge, to)) {
        return Some("takes a square of the edge that can never be turned back".into());
    }
    let (was, left) = (otherwise.count_ones(), now.count_ones());
    Some(if 2 * left <= was {
        format!("leaves {other} only {}", counted(left, "move"))
    } else if left < was {
        format!("leaves {other} {} instead of {was}", counted(left, "move"))
    } else {
        format!("turns {}", counted(taken(before, after), "piece"))
    })
}

/// Whether the piece that has come to an edge can never be turned: the edge is full, or all squares from
/// there to a corner have pieces of the same side.
fn is_settled(after: &Reversi, edge: u64, at: Square) -> bool {
    let (theirs, own) = after.own_and_other();
    // Bits go up along every edge.
    let up_to = at.bit() | (at.bit() - 1);
    let up_from = !(at.bit() - 1);
    edge & at.bit() != 0
        && (edge & !(own | theirs) == 0 || edge & up_to & !own == 0 || edge & up_from & !own == 0)
}
