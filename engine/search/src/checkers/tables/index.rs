//! Numbers for boards: first by material, then by where the pieces stand.
//!
//! Men come first, because they leave their squares to the kings: each side's men have a
//! combination of 28 squares, the kings one of the squares that are left. Numbers where men of
//! both sides share a square stand for no board.

use ataxxd_rules::checkers::BOARD;

use super::board::Board;
use crate::bits::bits;
use crate::checkers::without_gaps;

/// The most pieces of both sides for which tables can be made.
pub const MOST_PIECES: u32 = 5;

/// The pieces on a board, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Material {
    /// Men of the side to move.
    pub own_men: u32,
    /// Its kings.
    pub own_kings: u32,
    /// Men of the other side.
    pub other_men: u32,
    /// Its kings.
    pub other_kings: u32,
}

/// How many ids of materials there are.
pub const MATERIALS: usize = (MOST_PIECES as usize).pow(4);

impl Material {
    /// What stands on a board.
    #[inline]
    pub const fn of(board: Board) -> Self {
        Self {
            own_men: (board.own & !board.kings).count_ones(),
            own_kings: (board.own & board.kings).count_ones(),
            other_men: (board.other & !board.kings).count_ones(),
            other_kings: (board.other & board.kings).count_ones(),
        }
    }

    /// The pieces of both sides.
    pub const fn pieces(self) -> u32 {
        self.own_men + self.own_kings + self.other_men + self.other_kings
    }

    /// The men of both sides.
    pub const fn men(self) -> u32 {
        self.own_men + self.other_men
    }

    /// The same pieces with the other side to move.
    pub const fn passed(self) -> Self {
        Self {
            own_men: self.other_men,
            own_kings: self.other_kings,
            other_men: self.own_men,
            other_kings: self.own_kings,
        }
    }

    /// A number below [`MATERIALS`], where both sides have pieces and neither all five.
    #[inline]
    pub const fn id(self) -> usize {
        let most = MOST_PIECES;
        (((self.own_men * most + self.own_kings) * most + self.other_men) * most + self.other_kings)
            as usize
    }

    /// Every material of so many pieces, in the order in which tables are made: what a capture
    /// or a crowning leads to comes first.
    pub fn of_pieces(pieces: u32) -> Vec<Self> {
        let mut all = Vec::new();
        for own in 1..pieces {
            for own_men in 0..=own {
                for other_men in 0..=pieces - own {
                    all.push(Self {
                        own_men,
                        own_kings: own - own_men,
                        other_men,
                        other_kings: pieces - own - other_men,
                    });
                }
            }
        }
        all.sort_by_key(|material| material.men());
        all
    }

    /// How many combinations each kind of piece has: own men, other men, own kings, other kings.
    const fn combinations(self) -> [u32; 4] {
        let free = SQUARES - self.men();
        [
            choose(MEN_SQUARES, self.own_men),
            choose(MEN_SQUARES, self.other_men),
            choose(free, self.own_kings),
            choose(free - self.own_kings, self.other_kings),
        ]
    }

    /// How many numbers there are.
    pub const fn size(self) -> usize {
        let [own_men, other_men, own_kings, other_kings] = self.combinations();
        (own_men * other_men * own_kings * other_kings) as usize
    }

    /// How many numbers in a row differ only in the squares of the last kind of piece.
    pub fn inner_size(self) -> usize {
        let [own_men, other_men, own_kings, other_kings] = self.combinations();
        let kinds = [other_kings, own_kings, other_men, own_men];
        kinds.into_iter().find(|&count| count > 1).unwrap_or(1) as usize
    }

    /// The board of a number below `size`, if there is one.
    pub fn board(self, index: usize) -> Option<Board> {
        let [_, other_men, own_kings, other_kings] = self.combinations();
        let kings = index as u32 % (own_kings * other_kings);
        let men = index as u32 / (own_kings * other_kings);
        let men = Men::new(self, men / other_men, men % other_men)?;
        Some(men.with_kings(self, kings / other_kings, kings % other_kings))
    }

    /// Calls `visit` with every number and its board, if there is one, in order.
    pub fn for_each(self, mut visit: impl FnMut(usize, Option<Board>)) {
        let [own_men, other_men, own_kings, other_kings] = self.combinations();
        let mut index = 0;
        for own in 0..own_men {
            for other in 0..other_men {
                let men = Men::new(self, own, other);
                for own in 0..own_kings {
                    for other in 0..other_kings {
                        let board = men.as_ref().map(|men| men.with_kings(self, own, other));
                        visit(index, board);
                        index += 1;
                    }
                }
            }
        }
    }

    /// The number of a board of this material.
    #[inline]
    pub fn index(self, board: Board) -> usize {
        let [_, other_men, own_kings, other_kings] = self.combinations();
        let kings = without_gaps(board.kings);
        let (own, other) = (without_gaps(board.own), without_gaps(board.other));
        let men = (own | other) & !kings;
        let ranks = [
            rank(own & !kings, 0),
            rank((other & !kings) >> FIRST_ROW, 0),
            rank(own & kings, men),
            rank(other & kings, men | own),
        ];
        (((ranks[0] * other_men + ranks[1]) * own_kings + ranks[2]) * other_kings + ranks[3])
            as usize
    }
}

/// Squares of the board.
const SQUARES: u32 = 32;
/// Squares where a man can stand: it is crowned on the last row.
const MEN_SQUARES: u32 = 28;
/// Squares of a row.
const FIRST_ROW: u32 = 4;

/// The men of both sides, and the squares that they leave to kings.
struct Men {
    own: u64,
    other: u64,
    /// The free squares, as numbers from 0 in their order.
    free: [u8; SQUARES as usize],
}

impl Men {
    fn new(material: Material, own: u32, other: u32) -> Option<Self> {
        let own = combination(own, material.own_men);
        let other = combination(other, material.other_men) << FIRST_ROW;
        if own & other != 0 {
            return None;
        }
        let mut free = [0; SQUARES as usize];
        let empty = (0..SQUARES as u8).filter(|square| (own | other) >> square & 1 == 0);
        for (place, square) in free.iter_mut().zip(empty) {
            *place = square;
        }
        Some(Self {
            own: spread(own),
            other: spread(other),
            free,
        })
    }

    fn with_kings(&self, material: Material, own: u32, other: u32) -> Board {
        let own = combination(own, material.own_kings);
        // The other kings count only squares that the own kings leave.
        let mut left = combination(other, material.other_kings);
        let mut other = 0;
        for place in 0..SQUARES {
            if left == 0 {
                break;
            }
            if own >> place & 1 == 0 {
                other |= (left & 1) << place;
                left >>= 1;
            }
        }
        let [own, other] = [own, other].map(|set| spread(self.squares(set)));
        Board {
            own: self.own | own,
            other: self.other | other,
            kings: own | other,
        }
    }

    /// The squares of a set of places among the free ones.
    fn squares(&self, places: u32) -> u32 {
        bits(places.into()).fold(0, |set, place| set | 1 << self.free[place])
    }
}

/// The inverse of `without_gaps`.
#[inline]
const fn spread(set: u32) -> u64 {
    let set = set as u64;
    (set & 0xff | (set & 0xff00) << 1 | (set & 0xff_0000) << 2 | (set & 0xff00_0000) << 3) & BOARD
}

/// How many ways there are to choose so many of so many.
#[inline]
const fn choose(from: u32, count: u32) -> u32 {
    CHOICES[from as usize][count as usize]
}

static CHOICES: [[u32; MOST_PIECES as usize + 1]; SQUARES as usize + 1] = {
    let mut choices = [[0; MOST_PIECES as usize + 1]; SQUARES as usize + 1];
    let mut from = 0;
    while from <= SQUARES as usize {
        choices[from][0] = 1;
        let mut count = 1;
        while from > 0 && count <= MOST_PIECES as usize {
            choices[from][count] = choices[from - 1][count] + choices[from - 1][count - 1];
            count += 1;
        }
        from += 1;
    }
    choices
};

/// The number of a set among the sets of as many squares, squares in `taken` left out.
#[inline]
fn rank(mut set: u32, taken: u32) -> u32 {
    let (mut rank, mut count) = (0, 1);
    while set != 0 {
        let lowest = set & set.wrapping_neg();
        let place = lowest.trailing_zeros() - (taken & (lowest - 1)).count_ones();
        rank += choose(place, count);
        count += 1;
        set ^= lowest;
    }
    rank
}

/// The set of `count` places with a number; the inverse of `rank`.
fn combination(mut rank: u32, count: u32) -> u32 {
    let mut set = 0;
    let mut place = SQUARES;
    for count in (1..=count).rev() {
        place -= 1;
        while choose(place, count) > rank {
            place -= 1;
        }
        rank -= choose(place, count);
        set |= 1 << place;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_that_of_its_board() {
        for pieces in 2..=3 {
            for material in Material::of_pieces(pieces) {
                let mut next = 0;
                material.for_each(|index, board| {
                    assert_eq!(index, next);
                    assert_eq!(board, material.board(index));
                    if let Some(board) = board {
                        assert!(board.is_sound());
                        assert_eq!(Material::of(board), material);
                        assert_eq!(material.index(board), index);
                    }
                    next += 1;
                });
                assert_eq!(next, material.size());
            }
        }
    }

    #[test]
    fn the_last_boards_of_five_pieces_have_the_last_numbers() {
        for material in Material::of_pieces(MOST_PIECES) {
            for index in (0..material.size()).rev().take(2_000) {
                if let Some(board) = material.board(index) {
                    assert_eq!(Material::of(board), material);
                    assert_eq!(material.index(board), index);
                }
            }
        }
    }
}
