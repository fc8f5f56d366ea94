//! The parameters of the search: those of each game, and those that can be tuned.

use std::fmt;

use crate::Searchable;
use crate::score::MOST_KNOWN_PLIES;
use crate::searchable::COUNTER_HORIZON;
use crate::win_finder::HORIZON;

/// Declares [`Tuning`]: first what is fixed for a game, then what can be tuned, with its range.
macro_rules! tuning {
    (
        fixed { $($(#[$fixed_doc:meta])* $fixed:ident: $fixed_type:ty = $fixed_value:expr,)+ }
        tunable { $($(#[$doc:meta])* $name:ident = $usual:expr, $least:literal..=$most:literal;)+ }
    ) => {
        /// The numbers of the search; all of them were chosen by matches.
        ///
        /// Margins are centipieces, depths and reductions plies.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub struct Tuning {
            $($(#[$fixed_doc])* pub $fixed: $fixed_type,)+
            $($(#[$doc])* pub $name: i32,)+
        }

        impl Tuning {
            /// What suits most games.
            pub const DEFAULT: Self = Self {
                $($fixed: $fixed_value,)+
                $($name: $usual,)+
            };

            /// What can be tuned: names and ranges.
            const RANGES: &'static [(&'static str, i32, i32)] =
                &[$((stringify!($name), $least, $most),)+];

            /// The tunable numbers, in the order of `RANGES`.
            fn numbers(&self) -> [i32; Self::RANGES.len()] {
                [$(self.$name,)+]
            }

            fn number_mut(&mut self, name: &str) -> Option<&mut i32> {
                $(if name == stringify!($name) {
                    return Some(&mut self.$name);
                })+
                None
            }
        }
    };
}

tuning! {
    fixed {
        /// By how much the margins of the pruning are wider than in Ataxx, where the worth of
        /// positions changes less from move to move.
        margin_scale: i32 = 1,
        /// Moves within which every forced win is proved before the search proper.
        ///
        /// Less where `cannot_win_within` rules out too little to afford more; longer wins are
        /// then found as the search goes deeper, but without the promise.
        win_horizon: u32 = HORIZON,
        /// Positions that these proofs may visit where no time bounds them: about two seconds of a
        /// slow machine, and several times the longest proof that random games have come to.
        most_in_proofs: u64 = 25_000_000,
        /// Whether a forced win is a row of threats: a side that holds out when it passes holds out.
        ///
        /// Zugzwang is ignored then, so the promise holds except for it.
        wins_by_threats: bool = false,
        /// Plies within which a win is kept in the table; further ones are found again.
        kept_win: i32 = COUNTER_HORIZON,
    }
    tunable {
        /// The share of the time, in percent, that may go into proving forced wins.
        win_share = 60, 1..=90;
        /// After so many moves quiet ones, which gain nothing, are not tried: for games where they
        /// are hardly ever good.
        quiet_moves = i32::MAX, 1..=60;
        /// All margins below, in percent of what they say.
        margin_percent = 100, 25..=400;
        /// Half the width of the first aspiration window.
        aspiration = 40, 5..=400;
        /// Down to which depth a position far above the window is left alone.
        reverse_futility_depth = 8, 1..=16;
        /// How far above the window it has to be, for each ply.
        reverse_futility_margin = 40, 5..=200;
        /// From which depth on the search asks what happens if the side to move does nothing.
        null_move_depth = 3, 1..=12;
        /// By how much less deeply the search looks then,
        null_move_reduction = 3, 1..=8;
        /// and once more by the depth divided by this,
        null_move_divisor = 4, 2..=16;
        /// and by a ply for so much above the window, two at the most.
        null_move_surplus = 300, 50..=2_000;
        /// From which depth on a position without a table move is searched one ply less.
        internal_reduction_depth = 4, 2..=16;
        /// From which depth on a move that is much better than the others is looked at more deeply.
        singular_depth = 6, 4..=16;
        /// By how much it has to be better, for four plies.
        singular_margin = 10, 1..=80;
        /// Down to which depth moves that cannot reach the window are skipped.
        futility_depth = 4, 1..=10;
        /// How much the rest of the line may still bring,
        futility_margin = 93, 0..=500;
        /// and for each ply.
        futility_slope = 60, 5..=300;
        /// Down to which depth late moves are skipped.
        late_move_depth = 5, 1..=12;
        /// How many moves are tried before, in hundredths,
        late_move_count = 300, 100..=2_000;
        /// and more with the square of the depth.
        late_move_slope = 150, 10..=1_000;
        /// Late move reductions, in hundredths of a ply: what is the same for all,
        reduction = 40, -100..=200;
        /// and by what the product of the logarithms of depth and number is divided.
        reduction_divisor = 130, 50..=500;
        /// By how many 1024ths of a ply a move is reduced less for half the best history.
        history_reduction = 1_024, 0..=4_096;
        /// What depth is worth to the history of moves: this times its square and twice itself,
        history_bonus = 16, 1..=128;
        /// and no more than this.
        history_most = 2_000, 100..=8_000;
        /// What a killer is worth in the order of moves, in centipieces.
        killer = 400, 0..=2_000;
        /// History points that one centipiece of immediate gain is worth in the order.
        gain_weight = 32, 1..=256;
    }
}

/// A number of the search that can be tuned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parameter {
    /// Its name in [`Tuning`].
    pub name: &'static str,
    /// What a game has.
    pub value: i32,
    /// The least that it may be.
    pub least: i32,
    /// The most that it may be.
    pub most: i32,
}

/// The numbers that can be tuned in a game: those that its search makes use of.
pub fn parameters<P: Searchable>() -> Vec<Parameter> {
    let passes = P::start(&P::RULESETS[0]).after_null_move().is_some();
    Tuning::RANGES
        .iter()
        .zip(P::TUNING.numbers())
        .map(|(&(name, least, most), value)| Parameter {
            name,
            value,
            least,
            most,
        })
        .filter(|each| passes || !each.name.starts_with("null_move"))
        // `quiet_moves` does not apply to games in which quiet moves are good.
        .filter(|each| each.value <= each.most)
        .collect()
}

/// Numbers that a searcher uses in place of those of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes(Vec<(&'static str, i32)>);

/// Why a number cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unfit {
    /// There is none of this name.
    Unknown(String),
    /// It is out of its range.
    OutOfRange(Parameter),
}

impl Changes {
    /// Changes a number in every game; the last change counts.
    pub fn set(&mut self, name: &str, value: i32) -> Result<(), Unfit> {
        let &(name, least, most) = Tuning::RANGES
            .iter()
            .find(|(known, ..)| *known == name)
            .ok_or_else(|| Unfit::Unknown(name.to_owned()))?;
        if !(least..=most).contains(&value) {
            return Err(Unfit::OutOfRange(Parameter {
                name,
                value,
                least,
                most,
            }));
        }
        self.0.retain(|&(each, _)| each != name);
        self.0.push((name, value));
        Ok(())
    }

    /// The numbers of a game with these changes.
    pub fn applied_to(&self, mut tuning: Tuning) -> Tuning {
        for &(name, value) in &self.0 {
            if let Some(number) = tuning.number_mut(name) {
                *number = value;
            }
        }
        tuning
    }
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown(name) => {
                let known: Vec<_> = Tuning::RANGES.iter().map(|(name, ..)| *name).collect();
                write!(
                    f,
                    "The search has no parameter \"{}\"; it has {}.",
                    name.escape_debug(),
                    known.join(", ")
                )
            }
            Self::OutOfRange(Parameter {
                name,
                value,
                least,
                most,
            }) => write!(f, "{name} is {value}; it must be from {least} to {most}."),
        }
    }
}

impl Tuning {
    /// The same numbers, once it is sure that the search can work with them.
    pub(crate) const fn checked(self) -> Self {
        // Deep in a line a longer win would not count as one.
        assert!(self.kept_win <= MOST_KNOWN_PLIES as i32);
        self
    }
}

#[cfg(test)]
mod tests {
    use ataxxd_rules::ataxx::Ataxx;
    use ataxxd_rules::checkers::Checkers;
    use ataxxd_rules::loa::Loa;
    use ataxxd_rules::reversi::Reversi;

    use super::*;

    #[test]
    fn every_number_of_every_game_is_within_its_range() {
        for all in [
            parameters::<Ataxx>(),
            parameters::<Checkers>(),
            parameters::<Loa>(),
            parameters::<Reversi>(),
        ] {
            assert!(all.len() > 20);
            for each in all {
                assert!(
                    (each.least..=each.most).contains(&each.value),
                    "{}",
                    each.name
                );
            }
        }
    }

    #[test]
    fn a_game_lists_only_what_its_search_uses() {
        let has = |all: Vec<Parameter>, name| all.iter().any(|each| each.name == name);
        assert!(has(parameters::<Ataxx>(), "quiet_moves"));
        assert!(!has(parameters::<Loa>(), "quiet_moves"));
        assert!(has(parameters::<Loa>(), "null_move_depth"));
        assert!(!has(parameters::<Ataxx>(), "null_move_depth"));
    }

    #[test]
    fn a_change_is_of_one_number_and_the_last_word_counts() {
        let mut changes = Changes::default();
        changes.set("aspiration", 50).unwrap();
        changes.set("aspiration", 60).unwrap();
        let expected = Tuning {
            aspiration: 60,
            ..Reversi::TUNING
        };
        assert_eq!(changes.applied_to(Reversi::TUNING), expected);
    }

    #[test]
    fn what_cannot_be_changed_is_explained() {
        let mut changes = Changes::default();
        let unknown = changes.set("win_horizon", 2).unwrap_err().to_string();
        assert!(
            unknown.starts_with("The search has no parameter \"win_horizon\"; it has win_share, ")
        );
        let beyond = changes.set("aspiration", 4).unwrap_err().to_string();
        assert_eq!(beyond, "aspiration is 4; it must be from 5 to 400.");
        assert_eq!(changes, Changes::default());
    }
}
