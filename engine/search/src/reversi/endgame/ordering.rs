//! Move ordering of the endgame solver: moves that leave few answers come first.

use ataxxd_processor::widest;
use ataxxd_rules::board8::{Square, squares, within_one};
use ataxxd_rules::reversi::{targets, turned};

use crate::reversi::CORNERS;
use crate::reversi::evaluation::evaluate;

/// A move and the position after it, seen by the side that then moves.
#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub own: u64,
    pub other: u64,
    pub to: Square,
    /// How early it deserves to be tried.
    pub order: i32,
}

/// Above every other order: the move that the table names.
const KNOWN_BEST: i32 = i32::MAX;
/// For each answer that the opponent has; corners count twice.
const ANSWER: i32 = 32;
/// For each empty square next to a piece of the mover, where answers may come up.
const FRONTIER: i32 = 5;
/// For a square alone in its quarter, or one of an odd number: the mover has the last one too.
const ODD: i32 = 8;
const CORNER: i32 = 40;
/// With more empty squares the evaluation has a say.
const WEIGHED: u32 = 12;
/// Centipieces of the evaluation for one point in the order.
const WORTH: i32 = 6;
/// With more empty squares each of the answers is weighed.
const ANSWERS_WEIGHED: u32 = 16;

/// Puts a candidate for each of `moves` at the end of a list.
pub fn rank(own: u64, other: u64, moves: u64, odd: u64, best: u8, list: &mut Vec<Candidate>) {
    widest(
        #[inline(always)]
        || rank_each(own, other, moves, odd, best, list),
    );
}

#[inline(always)]
fn rank_each(own: u64, other: u64, moves: u64, odd: u64, best: u8, list: &mut Vec<Candidate>) {
    let empty = (!(own | other)).count_ones();
    for to in squares(moves) {
        let flips = turned(own, other, to);
        let (next, us) = (other & !flips, own | flips | to.bit());
        let order = if usize::from(best) == to.index() {
            KNOWN_BEST
        } else {
            let answers = targets(next, us);
            let corner = |set: u64| (set & CORNERS).count_ones() as i32;
            let frontier = within_one(us) & !(next | us);
            let odd = if odd & to.bit() != 0 { ODD } else { 0 };
            let worth = if empty <= WEIGHED {
                0
            } else if empty <= ANSWERS_WEIGHED {
                -evaluate(next, us)
            } else {
                after_best_answer(next, us, answers)
            };
            let worth = worth / WORTH;
            worth + odd + CORNER * corner(to.bit())
                - ANSWER * (answers.count_ones() as i32 + corner(answers))
                - FRONTIER * frontier.count_ones() as i32
        };
        list.push(Candidate {
            own: next,
            other: us,
            to,
            order,
        });
    }
}

/// What a position is worth to the side that is not to move, once the best of `answers` is made.
#[inline(always)]
fn after_best_answer(own: u64, other: u64, answers: u64) -> i32 {
    let worth = |to: Square| {
        let flips = turned(own, other, to);
        evaluate(other & !flips, own | flips | to.bit())
    };
    squares(answers)
        .map(worth)
        .min()
        .unwrap_or_else(|| evaluate(other, own))
}

/// Brings the best of `list[next..]` to `next` and gives it.
#[inline(always)]
pub fn pick(list: &mut [Candidate], next: usize) -> Candidate {
    let mut best = next;
    for index in next + 1..list.len() {
        if list[index].order > list[best].order {
            best = index;
        }
    }
    list.swap(next, best);
    list[next]
}
