//! Which moves there are on a board, for the side to move.

use super::board::{BOARD, BOTTOM_ROW, Direction, TOP_ROW, squares};
use super::moves::Move;
use crate::Side;

/// The board as the side to move sees it.
#[derive(Debug, Clone, Copy)]
pub struct View {
    pub own: u64,
    pub other: u64,
    pub kings: u64,
    pub side: Side,
}

impl View {
    #[inline]
    const fn empty(&self) -> u64 {
        BOARD & !(self.own | self.other)
    }

    /// The pieces that may go in a direction.
    #[inline]
    const fn able(&self, direction: Direction) -> u64 {
        let down = matches!(direction, Direction::DownLeft | Direction::DownRight);
        let forward = match self.side {
            Side::First => down,
            Side::Second => !down,
        };
        if forward {
            self.own
        } else {
            self.own & self.kings
        }
    }

    /// Where the side's men are crowned.
    #[inline]
    pub const fn crown_row(&self) -> u64 {
        match self.side {
            Side::First => BOTTOM_ROW,
            Side::Second => TOP_ROW,
        }
    }

    /// The pieces that can step in a direction, captures aside.
    #[inline]
    const fn steppers(&self, direction: Direction) -> u64 {
        self.able(direction) & direction.back(self.empty())
    }

    /// The pieces that can jump in a direction.
    #[inline]
    const fn jumpers_in(&self, direction: Direction) -> u64 {
        self.able(direction) & direction.back(self.other & direction.back(self.empty()))
    }

    /// The pieces that can jump.
    #[inline]
    pub fn jumpers(&self) -> u64 {
        Direction::ALL
            .into_iter()
            .fold(0, |set, direction| set | self.jumpers_in(direction))
    }

    /// The pieces that can step, captures aside.
    pub fn movers(&self) -> u64 {
        Direction::ALL
            .into_iter()
            .fold(0, |set, direction| set | self.steppers(direction))
    }

    /// Whether there is any move.
    #[inline]
    pub fn can_move(&self) -> bool {
        self.movers() != 0 || self.jumpers() != 0
    }

    /// Calls `visit` with every move, by the number of the piece's square.
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut(Move)) {
        let jumpers = self.jumpers();
        if jumpers != 0 {
            for from in squares(jumpers) {
                self.captures_from(Move::standing(from), &mut visit);
            }
            return;
        }
        let steppers = Direction::ALL.map(|direction| self.steppers(direction));
        let all = steppers[0] | steppers[1] | steppers[2] | steppers[3];
        for from in squares(all) {
            for (direction, set) in Direction::ALL.into_iter().zip(steppers) {
                if set & from.bit() != 0 {
                    visit(Move::step(from, direction).expect("the square it steps to is empty"));
                }
            }
        }
    }

    /// How many moves there are.
    #[inline]
    pub fn count(&self) -> u64 {
        let jumpers = self.jumpers();
        if jumpers == 0 {
            return Direction::ALL
                .into_iter()
                .map(|direction| u64::from(self.steppers(direction).count_ones()))
                .sum();
        }
        let mut count = 0;
        for from in squares(jumpers) {
            self.captures_from(Move::standing(from), &mut |_| count += 1);
        }
        count
    }

    /// Visits every completed capture that begins with the jumps of `so_far`.
    ///
    /// Pieces jumped stay on the board until the move is over: they block, and cannot be
    /// jumped again. The piece's own starting square is free to it.
    pub fn captures_from(&self, so_far: Move, visit: &mut impl FnMut(Move)) {
        let start = so_far.from().bit();
        let king = self.kings & start != 0;
        let free = self.empty() | start;
        let left = self.other & !so_far.captured();
        let mut goes_on = false;
        // A man on the crown row has arrived, even where a king could jump on.
        if king || so_far.to().bit() & self.crown_row() == 0 {
            for direction in Direction::ALL {
                if self.able(direction) & start == 0 {
                    continue;
                }
                let over = direction.step(so_far.to().bit()) & left;
                if direction.step(over) & free == 0 {
                    continue;
                }
                if let Some(longer) = so_far.jump(direction) {
                    goes_on = true;
                    self.captures_from(longer, visit);
                }
            }
        }
        if !goes_on && so_far.jumps() > 0 {
            visit(so_far);
        }
    }
}
