//! Reasons for a move of checkers.

use super::{Checkers, History, Move, squares};
use crate::Position;
use crate::reasons::{most_taken, name, one_of_few, taken};

pub fn of(before: &Checkers, mv: Move, after: &Checkers) -> Option<String> {
    let other = name(after);
    let crowns = crowned(after, before) > crowned(before, before);
    // Jumps are forced: either all replies are jumps, or none.
    let replies: Vec<_> = after.legal_moves();
    let lost: Vec<_> = replies.iter().map(Move::jumps).collect();
    let (least, most) = (lost.iter().min().copied(), lost.iter().max().copied());
    let most = most.unwrap_or(0);
    let jumped = taken(before, after);
    if jumped > 0 {
        let crown = if crowns { " and crowns a man" } else { "" };
        let back = match most {
            0 => "nothing".into(),
            most => most.to_string(),
        };
        return Some(format!(
            "jumps {jumped}{crown}, and {other} can jump {back} back"
        ));
    }
    if crowns {
        return Some("crowns a man".into());
    }
    if most > 0 {
        let regained = replies
            .iter()
            .map(|&reply| most_taken(&after.play_unchecked(reply)));
        return match regained.min() {
            Some(regained) if regained > 0 && least == Some(most) => Some(if regained > most {
                format!("forces a jump and takes {regained} back")
            } else {
                format!("forces a jump of {most} and takes {regained} back")
            }),
            _ => None,
        };
    }
    let quiet = |each| most_taken(&before.play_unchecked(each)) == 0;
    one_of_few(before, mv, &format!("not let {other} jump"), quiet).or_else(|| {
        // What could be jumped if the other side did nothing.
        let again = Checkers {
            turn: before.turn,
            history: History::unknown(0),
            ..after.clone()
        };
        let moves = again.legal_moves();
        let threatened = moves.iter().fold(0, |all, each| all | each.captured());
        match threatened.count_ones() {
            0 => None,
            1 => squares(threatened)
                .next()
                .map(|at| format!("threatens to jump the piece on {at}")),
            _ => Some(format!("threatens to jump {}", most_taken(&again))),
        }
    })
}

/// How many kings the side on turn in `mover` has on a board.
const fn crowned(board: &Checkers, mover: &Checkers) -> u32 {
    (board.kings & board.pieces[mover.turn.index()]).count_ones()
}
