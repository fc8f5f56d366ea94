//! Windows of six squares, kings, and kings with other pieces.

use ataxxd_rules::checkers::{Checkers, Square};
use ataxxd_rules::random::Random;
use ataxxd_rules::{Position, Side};

use super::Judged;

/// What the square of a number holds for the side to move.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Piece {
    None,
    Man,
    OtherMan,
    King,
    OtherKing,
}

/// Squares 1 to 32 as the side to move sees them: its men go towards square 32.
fn squares(position: &Checkers) -> Vec<Piece> {
    let turn = position.turn();
    let holds = |number| {
        let number = match turn {
            Side::First => number,
            Side::Second => 33 - number,
        };
        let bit = Square::from_number(number).expect("on the board").bit();
        let king = position.kings() & bit != 0;
        if position.pieces(turn) & bit != 0 {
            if king { Piece::King } else { Piece::Man }
        } else if position.pieces(turn.opponent()) & bit != 0 {
            if king {
                Piece::OtherKing
            } else {
                Piece::OtherMan
            }
        } else {
            Piece::None
        }
    };
    (1..=32).map(holds).collect()
}

impl Judged for Checkers {
    /// Random games to their end: kings come up in most.
    fn positions(random: &mut Random) -> Vec<Self> {
        let mut positions = Vec::new();
        for _ in 0..12 {
            let mut position = Self::start(random.choose(Self::RULESETS));
            while position.outcome().is_none() && positions.len() < 1200 {
                positions.push(position.clone());
                position = position.play_unchecked(*random.choose(&position.legal_moves()));
            }
        }
        positions
    }

    fn plain_rows(&self) -> Vec<usize> {
        let squares = squares(self);
        let state = |places: &[usize]| {
            let digit = |&place: &usize| match squares[place] {
                Piece::Man => 1,
                Piece::OtherMan => 2,
                _ => 0,
            };
            places
                .iter()
                .rev()
                .fold(0, |state, place| 3 * state + digit(place))
        };
        let mut rows = Vec::new();
        for column in 0..2 {
            for row in 0..7 {
                let first = 4 * row + column;
                let places = [0, 1, 2, 4, 5, 6].map(|step| first + step);
                rows.push(729 * rows.len() + state(&places));
            }
        }
        for column in 0..3 {
            for row in 0..6 {
                let first = 4 * row + column;
                let places = [0, 1, 4, 5, 8, 9].map(|step| first + step);
                rows.push(729 * rows.len() + state(&places));
            }
        }
        let kings = rows.len() * 729;
        // Own pieces at their squares, then the other's.
        let places = |pieces: [Piece; 2]| -> Vec<usize> {
            let squares = &squares;
            let of = |piece| (0..32).filter(move |&place| squares[place] == piece);
            let others = of(pieces[1]).map(|place| 32 + place);
            of(pieces[0]).chain(others).collect()
        };
        let crowned = places([Piece::King, Piece::OtherKing]);
        for (number, king) in crowned.iter().enumerate() {
            rows.push(kings + king);
            for second in &crowned[number + 1..] {
                rows.push(kings + 64 + 64 * king + second);
            }
            for man in places([Piece::Man, Piece::OtherMan]) {
                rows.push(kings + 64 + 64 * 64 + 64 * king + man);
            }
        }
        rows
    }

    fn plain_stage(&self) -> usize {
        let squares = squares(self);
        let pieces = squares.iter().filter(|&&piece| piece != Piece::None);
        let crowned = squares
            .iter()
            .any(|piece| matches!(piece, Piece::King | Piece::OtherKing));
        let on_even_rows = (0..32).filter(|place| place / 4 % 2 == 0);
        let step = on_even_rows
            .filter(|&place| squares[place] != Piece::None)
            .count();
        4 * ((pieces.count() - 1) / 3) + 2 * usize::from(crowned) + step % 2
    }

    /// The board turned round as well: men go the other way.
    fn exchanged(&self) -> Self {
        let other_side = match self.turn() {
            Side::First => "W",
            Side::Second => "B",
        };
        let list = |side| {
            let mut words = Vec::new();
            for number in 1..=32 {
                let bit = Square::from_number(number).expect("on the board").bit();
                if self.pieces(side) & bit != 0 {
                    let king = if self.kings() & bit != 0 { "K" } else { "" };
                    words.push(format!("{king}{}", 33 - number));
                }
            }
            words.join(",")
        };
        let (white, black) = (list(Side::First), list(Side::Second));
        let text = format!("{other_side}:W{white}:B{black}");
        Self::from_text(self.ruleset(), &text).expect("well formed")
    }
}
