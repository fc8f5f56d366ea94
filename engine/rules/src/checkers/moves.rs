//! Moves, told apart by their whole path, and their codes.

use std::fmt;

use super::board::{BOARD, Direction, Square};

/// The most jumps that one move can have: a king reaches eight squares by jumps, which nine
/// diagonals of two squares join, and none can be jumped over twice.
pub const MAX_JUMPS: u32 = 9;

/// A move: one step, or one or more jumps by one piece.
///
/// Its text is `11-15` for a step and `22x15x8` for jumps, with every square touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Move {
    from: Square,
    to: Square,
    /// 0 for a step.
    jumps: u8,
    /// The direction of each leg, two bits each, the first one lowest.
    directions: u32,
    captured: u64,
}

impl Move {
    /// The step from a square; `None` off the board.
    #[inline]
    pub const fn step(from: Square, direction: Direction) -> Option<Self> {
        match direction.step(from.bit()) {
            0 => None,
            to => Some(Self {
                from,
                to: Square::from_bit(to),
                jumps: 0,
                directions: direction as u32,
                captured: 0,
            }),
        }
    }

    /// A path with no jump yet, from which [`jump`](Self::jump) goes on.
    #[inline]
    pub(super) const fn standing(from: Square) -> Self {
        Self {
            from,
            to: from,
            jumps: 0,
            directions: 0,
            captured: 0,
        }
    }

    /// The same jumps and one more; `None` off the board, or over a square jumped already.
    #[inline]
    pub(super) const fn jump(self, direction: Direction) -> Option<Self> {
        let over = direction.step(self.to.bit());
        let land = direction.step(over);
        if land == 0 || over & self.captured != 0 {
            return None;
        }
        Some(Self {
            from: self.from,
            to: Square::from_bit(land),
            jumps: self.jumps + 1,
            directions: self.directions | (direction as u32) << (2 * self.jumps),
            captured: self.captured | over,
        })
    }

    /// Where the piece leaves from.
    #[inline]
    pub const fn from(&self) -> Square {
        self.from
    }

    /// Where it lands in the end.
    #[inline]
    pub const fn to(&self) -> Square {
        self.to
    }

    /// How many pieces it takes; 0 for a step.
    #[inline]
    pub const fn jumps(&self) -> u32 {
        self.jumps as u32
    }

    /// The squares jumped over.
    #[inline]
    pub const fn captured(&self) -> u64 {
        self.captured
    }

    /// Every square the piece touches, the first and the last included.
    pub fn path(&self) -> Vec<Square> {
        let mut path = vec![self.from];
        let mut at = self.from.bit();
        for leg in 0..self.jumps.max(1) {
            let direction = Direction::ALL[(self.directions >> (2 * leg) & 3) as usize];
            at = direction.step(at);
            if self.jumps > 0 {
                at = direction.step(at);
            }
            path.push(Square::from_bit(at));
        }
        path
    }

    /// The move along a path of squares, each a step or a jump from the one before.
    ///
    /// The error is the first pair of squares that are neither, or that a move cannot have.
    pub fn along(path: &[Square]) -> Result<Self, (Square, Square)> {
        let (from, to) = (path[0], path[1]);
        if path.len() == 2 {
            for direction in Direction::ALL {
                if let Some(mv) = Self::step(from, direction).filter(|mv| mv.to == to) {
                    return Ok(mv);
                }
            }
        }
        path.windows(2).try_fold(Self::standing(from), |mv, leg| {
            Direction::ALL
                .into_iter()
                .filter_map(|direction| mv.jump(direction))
                .find(|longer| longer.to == leg[1])
                .ok_or((leg[0], leg[1]))
        })
    }

    /// The text with another sign between the squares.
    pub fn joined(&self, sign: &str) -> String {
        let numbers: Vec<_> = self.path().iter().map(ToString::to_string).collect();
        numbers.join(sign)
    }
}

impl From<Move> for u64 {
    /// The square's bit number, the number of jumps and the directions, from the lowest bit up.
    fn from(mv: Move) -> Self {
        u64::from(mv.from.bit().trailing_zeros())
            | u64::from(mv.jumps) << 6
            | u64::from(mv.directions) << 10
    }
}

impl TryFrom<u64> for Move {
    type Error = ();

    fn try_from(code: u64) -> Result<Self, ()> {
        let (jumps, directions) = (code >> 6 & 15, code >> 10);
        let from = 1 << (code & 63) & BOARD;
        let bits = 2 * jumps.max(1);
        if from == 0 || jumps > MAX_JUMPS.into() || directions >> bits != 0 {
            return Err(());
        }
        let from = Square::from_bit(from);
        let direction = |leg: u64| Direction::ALL[(directions >> (2 * leg) & 3) as usize];
        if jumps == 0 {
            return Self::step(from, direction(0)).ok_or(());
        }
        (0..jumps)
            .try_fold(Self::standing(from), |mv, leg| mv.jump(direction(leg)))
            .ok_or(())
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.joined(if self.jumps == 0 { "-" } else { "x" }))
    }
}
