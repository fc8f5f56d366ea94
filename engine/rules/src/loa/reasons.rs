//! Reasons for a move of Lines of Action.

use super::{Loa, Move};
use crate::Position;
use crate::board8::within_one;
use crate::reasons::{can_win, name, taken};

pub fn of(before: &Loa, mv: Move, after: &Loa) -> Option<String> {
    let Move::Step { to, .. } = mv else {
        return None;
    };
    let (own, other) = (before.turn, after.turn);
    let as_if_on_turn = |position: &Loa, side| Loa {
        turn: side,
        ..position.clone()
    };
    if can_win(&as_if_on_turn(after, own)) {
        return Some("threatens to win at once".into());
    }
    let takes = taken(before, after) > 0;
    let (was, now) = (groups(before.pieces(own)), groups(after.pieces(own)));
    if now < was {
        let more = if takes { ", and takes a piece" } else { "" };
        return Some(format!("joins groups, from {was} to {now}{more}"));
    }
    if !takes {
        return None;
    }
    let (still, apart) = (groups(before.pieces(other)), groups(after.pieces(other)));
    if apart > still {
        let name = name(after);
        return Some(format!(
            "takes a piece and splits {name} into {apart} groups, from {still}"
        ));
    }
    let unhindered = as_if_on_turn(before, other);
    let joins = unhindered.legal_moves().into_iter().any(|each| {
        matches!(each, Move::Step { from, .. } if from == to)
            && groups(unhindered.play_unchecked(each).pieces(other)) < still
    });
    Some(if joins {
        "takes a piece that could have joined groups".into()
    } else {
        "takes a piece".into()
    })
}

/// How many groups pieces are in; those that touch, at corners too, are one.
fn groups(mut pieces: u64) -> u32 {
    let mut groups = 0;
    while pieces != 0 {
        groups += 1;
        let mut group = pieces & pieces.wrapping_neg();
        loop {
            let grown = within_one(group) & pieces;
            if grown == group {
                break;
            }
            group = grown;
        }
        pieces &= !group;
    }
    groups
}
