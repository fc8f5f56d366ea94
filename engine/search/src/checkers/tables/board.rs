//! The board as the side to move sees it, and what the moves make of it.
//!
//! The side to move always goes down, as Black does: a board with White to move is turned by
//! half a turn. So one table serves both sides.

use ataxxd_rules::checkers::{BOARD, BOTTOM_ROW, Checkers, Direction, TOP_ROW};
use ataxxd_rules::{Position, Side};

/// The pieces of the side to move and of the other one, in the layout of the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Board {
    /// Those of the side to move.
    pub own: u64,
    /// Those of the other side.
    pub other: u64,
    /// Of both sides.
    pub kings: u64,
}

/// The bits of the layout.
const BITS: u32 = 35;

/// The set after half a turn of the board.
const fn turned(set: u64) -> u64 {
    set.reverse_bits() >> (u64::BITS - BITS)
}

impl Board {
    /// What a position shows to its side to move.
    #[inline]
    pub fn of(position: &Checkers) -> Self {
        let us = position.turn();
        let board = Self {
            own: position.pieces(us),
            other: position.pieces(us.opponent()),
            kings: position.kings(),
        };
        match us {
            Side::First => board,
            Side::Second => Self {
                own: turned(board.own),
                other: turned(board.other),
                kings: turned(board.kings),
            },
        }
    }

    /// The same pieces with the other side to move.
    #[inline]
    pub const fn passed(self) -> Self {
        Self {
            own: turned(self.other),
            other: turned(self.own),
            kings: turned(self.kings),
        }
    }

    #[inline]
    const fn empty(self) -> u64 {
        BOARD & !(self.own | self.other)
    }

    /// The pieces of the side to move that may go in a direction.
    #[inline]
    const fn able(self, direction: Direction) -> u64 {
        match direction {
            Direction::DownLeft | Direction::DownRight => self.own,
            Direction::UpLeft | Direction::UpRight => self.own & self.kings,
        }
    }

    #[inline]
    const fn jumpers(self, direction: Direction) -> u64 {
        self.able(direction) & direction.back(self.other & direction.back(self.empty()))
    }

    /// Whether the side to move must capture.
    #[inline]
    pub fn must_capture(self) -> bool {
        let any = |direction| self.jumpers(direction) != 0;
        Direction::ALL.into_iter().any(any)
    }

    /// Calls `visit` with the board after every capture, as the other side sees it; often the
    /// same board by several paths.
    pub fn for_each_capture(self, mut visit: impl FnMut(Self)) {
        let mut jumpers = Direction::ALL
            .into_iter()
            .fold(0, |set, direction| set | self.jumpers(direction));
        while jumpers != 0 {
            let from = jumpers & jumpers.wrapping_neg();
            jumpers ^= from;
            self.jump_on(from, from, 0, &mut visit);
        }
    }

    /// Goes on from a square with the pieces `taken` so far, which stay where they are until
    /// the move is over.
    fn jump_on(self, from: u64, at: u64, taken: u64, visit: &mut impl FnMut(Self)) {
        let king = self.kings & from != 0;
        let free = self.empty() | from;
        let mut goes_on = false;
        if king || at & BOTTOM_ROW == 0 {
            for direction in Direction::ALL {
                if self.able(direction) & from == 0 {
                    continue;
                }
                let over = direction.step(at) & self.other & !taken;
                let to = direction.step(over) & free;
                if to != 0 {
                    goes_on = true;
                    self.jump_on(from, to, taken | over, visit);
                }
            }
        }
        if !goes_on && taken != 0 {
            visit(self.moved(from, at, taken).passed());
        }
    }

    /// The board after a piece went and pieces were taken, before the turn passes.
    const fn moved(self, from: u64, to: u64, taken: u64) -> Self {
        let king = self.kings & from != 0 || to & BOTTOM_ROW != 0;
        Self {
            own: self.own ^ from | to,
            other: self.other & !taken,
            kings: self.kings & !(taken | from) | if king { to } else { 0 },
        }
    }

    /// Calls `visit` with the board after every step, as the other side sees it, and whether a
    /// man was crowned. Only for boards where nothing is to be captured.
    #[inline]
    pub fn for_each_step(self, mut visit: impl FnMut(Self, bool)) {
        for direction in Direction::ALL {
            let mut movers = self.able(direction) & direction.back(self.empty());
            while movers != 0 {
                let from = movers & movers.wrapping_neg();
                movers ^= from;
                let to = direction.step(from);
                let crowned = from & self.kings == 0 && to & BOTTOM_ROW != 0;
                visit(self.moved(from, to, 0).passed(), crowned);
            }
        }
    }

    /// Calls `visit` with every board from which the side that is not to move has come by a step
    /// that crowned nobody, as that side saw it.
    pub fn for_each_origin(self, mut visit: impl FnMut(Self)) {
        let mover = self.passed();
        for direction in Direction::ALL {
            let men = match direction {
                Direction::DownLeft | Direction::DownRight => mover.own & !mover.kings,
                Direction::UpLeft | Direction::UpRight => 0,
            };
            let mut stepped = (men | mover.own & mover.kings) & direction.step(mover.empty());
            while stepped != 0 {
                let to = stepped & stepped.wrapping_neg();
                stepped ^= to;
                let from = direction.back(to);
                let king = mover.kings & to != 0;
                let origin = Self {
                    own: mover.own ^ to | from,
                    other: mover.other,
                    kings: mover.kings & !to | if king { from } else { 0 },
                };
                if !origin.must_capture() {
                    visit(origin);
                }
            }
        }
    }

    /// Whether every man stands where it has not been crowned yet.
    #[cfg(test)]
    pub const fn is_sound(self) -> bool {
        self.own & !self.kings & BOTTOM_ROW == 0 && self.other & !self.kings & TOP_ROW == 0
    }
}

const _: () = assert!(turned(BOARD) == BOARD && turned(TOP_ROW) == BOTTOM_ROW);
