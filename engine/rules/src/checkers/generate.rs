//! Move generation.

use super::board::{BOARD, BOTTOM_ROW, Direction, TOP_ROW, squares};
use super::moves::Move;
use crate::Side;

/// The ways of Black's men, and of White's.
pub const DOWN: [Direction; 2] = [Direction::DownLeft, Direction::DownRight];
pub const UP: [Direction; 2] = [Direction::UpLeft, Direction::UpRight];

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

    /// Adds up what there is in each direction in which a piece of the side may go: in two only
    /// while it has no kings.
    #[inline(always)]
    fn in_all_directions<T>(&self, each: impl Fn(Direction) -> T, add: impl Fn(T, T) -> T) -> T {
        let both = |ways: [Direction; 2]| add(each(ways[0]), each(ways[1]));
        match (self.side, self.own & self.kings != 0) {
            (Side::First, false) => both(DOWN),
            (Side::Second, false) => both(UP),
            (_, true) => add(both(DOWN), both(UP)),
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
        self.in_all_directions(|direction| self.jumpers_in(direction), |a, b| a | b)
    }

    /// The pieces that can step, captures aside.
    #[inline]
    pub fn movers(&self) -> u64 {
        self.in_all_directions(|direction| self.steppers(direction), |a, b| a | b)
    }

    /// Whether there is any move.
    #[inline]
    pub fn can_move(&self) -> bool {
        self.movers() != 0 || self.jumpers() != 0
    }

    /// Calls `visit` with every move, by the number of the piece's square.
    #[inline]
    pub fn for_each(&self, visit: impl FnMut(Move)) {
        let jumpers = self.jumpers();
        if jumpers != 0 {
            match self.side {
                Side::First => self.for_each_capture(jumpers, DOWN, visit),
                Side::Second => self.for_each_capture(jumpers, UP, visit),
            }
            return;
        }
        match (self.side, self.own & self.kings != 0) {
            (Side::First, false) => self.for_each_step(DOWN, visit),
            (Side::Second, false) => self.for_each_step(UP, visit),
            (_, true) => self.for_each_step(Direction::ALL, visit),
        }
    }

    /// Calls `visit` with every capture by some pieces; `forward` are the directions of men.
    #[inline(always)]
    fn for_each_capture(&self, jumpers: u64, forward: [Direction; 2], mut visit: impl FnMut(Move)) {
        let empty = self.empty();
        let jumps = forward.map(|way| (way, way.back(self.other & way.back(empty))));
        for from in squares(jumpers) {
            if self.kings & from.bit() == 0 {
                man_captures(Move::standing(from), jumps, &mut visit);
            } else {
                self.king_captures(Move::standing(from), &mut visit);
            }
        }
    }

    /// Calls `visit` with every step in some directions.
    #[inline(always)]
    fn for_each_step<const N: usize>(
        &self,
        directions: [Direction; N],
        mut visit: impl FnMut(Move),
    ) {
        let steppers = directions.map(|direction| self.steppers(direction));
        let all = steppers.into_iter().fold(0, |all, set| all | set);
        for from in squares(all) {
            for (direction, set) in directions.into_iter().zip(steppers) {
                if set & from.bit() != 0 {
                    visit(Move::step(from, direction).expect("the square it steps to is empty"));
                }
            }
        }
    }

    /// Visits every completed capture by a king that begins with the jumps of `so_far`.
    ///
    /// Pieces jumped stay on the board until the move is over: they block, and cannot be
    /// jumped again. The piece's own starting square is free to it.
    fn king_captures(&self, so_far: Move, visit: &mut impl FnMut(Move)) {
        let free = self.empty() | so_far.from().bit();
        let left = self.other & !so_far.captured();
        let mut goes_on = false;
        for direction in Direction::ALL {
            let over = direction.step(so_far.to().bit()) & left;
            if direction.step(over) & free == 0 {
                continue;
            }
            if let Some(longer) = so_far.jump(direction) {
                goes_on = true;
                self.king_captures(longer, visit);
            }
        }
        if !goes_on && so_far.jumps() > 0 {
            visit(so_far);
        }
    }
}

/// Visits every completed capture by a man that begins with the jumps of `so_far`; `jumps` are the
/// squares from which there is a jump each way. A man never comes back to where it was, and there
/// is no jump from the crown row.
fn man_captures(so_far: Move, jumps: [(Direction, u64); 2], visit: &mut impl FnMut(Move)) {
    let at = so_far.to().bit();
    if (jumps[0].1 | jumps[1].1) & at == 0 {
        return visit(so_far);
    }
    for (way, from) in jumps {
        if from & at != 0 {
            let longer = so_far.jump(way).expect("there is a jump from there");
            man_captures(longer, jumps, visit);
        }
    }
}
