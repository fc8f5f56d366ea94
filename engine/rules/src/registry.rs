//! The games that exist, in the order in which lists show them. A new game adds two lines to
//! `games!` below.

use crate::{Position, RulesError, Ruleset};

/// Builds everything that covers all games from one list of them.
///
/// The leading `($)` lets the macro define another macro with parameters of its own.
macro_rules! games {
    (($d:tt) $($(#[$doc:meta])* $name:ident($module:ident::$position:ident),)+) => {
        /// Evaluates an expression with the typed position inside an [`AnyPosition`].
        #[macro_export]
        macro_rules! with_position {
            ($d any:expr, $d position:ident => $d body:expr) => {
                match $d any {
                    $($crate::AnyPosition::$name($d position) => $d body,)+
                }
            };
        }

        /// Evaluates an expression with the position type of the game of a name, if there is one.
        #[macro_export]
        macro_rules! with_game {
            ($d game:expr, $d position:ident => $d body:expr) => {{
                let game: &str = $d game;
                $(if game == <$crate::$module::$position as $crate::Position>::GAME {
                    type $d position = $crate::$module::$position;
                    Some($d body)
                } else)+ {
                    None
                }
            }};
        }

        /// A position of any game.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        pub enum AnyPosition {
            $($(#[$doc])* $name($crate::$module::$position),)+
        }

        /// All rulesets of all games.
        pub fn rulesets() -> impl Iterator<Item = &'static Ruleset> {
            [$(<$crate::$module::$position>::RULESETS),+].into_iter().flatten()
        }

        impl AnyPosition {
            /// The start position of a ruleset.
            pub fn start(ruleset: &str) -> Result<Self, RulesError> {
                let ruleset = find_ruleset(ruleset)?;
                Ok(with_game!(ruleset.game, P => <P as Position>::start(ruleset).into())
                    .expect("every ruleset belongs to a game"))
            }

            /// Reads position text of a ruleset's game.
            pub fn from_text(ruleset: &str, text: &str) -> Result<Self, RulesError> {
                let ruleset = find_ruleset(ruleset)?;
                with_game!(
                    ruleset.game,
                    P => <P as Position>::from_text(ruleset, text).map(Self::from)
                )
                .expect("every ruleset belongs to a game")
            }
        }

        $(impl From<$crate::$module::$position> for AnyPosition {
            fn from(position: $crate::$module::$position) -> Self {
                Self::$name(position)
            }
        })+
    };
}

games! {
    ($)
    /// Ataxx.
    Ataxx(ataxx::Ataxx),
    /// Reversi (Othello).
    Reversi(reversi::Reversi),
    /// English checkers.
    Checkers(checkers::Checkers),
    /// Lines of Action.
    Loa(loa::Loa),
}

/// The ruleset of an id; the error lists those that exist.
pub fn find_ruleset(id: &str) -> Result<&'static Ruleset, RulesError> {
    rulesets().find(|ruleset| ruleset.id == id).ok_or_else(|| {
        let known: Vec<_> = rulesets().map(|ruleset| ruleset.id).collect();
        RulesError::UnknownRuleset(format!(
            "There is no ruleset \"{}\"; there are {}.",
            id.escape_debug(),
            known.join(", ")
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ruleset_belongs_to_a_game_and_starts() {
        for ruleset in rulesets() {
            assert!(ruleset.id.starts_with(&format!("{}/", ruleset.game)));
            let position = AnyPosition::start(ruleset.id).unwrap();
            let text = with_position!(&position, p => p.text());
            assert_eq!(AnyPosition::from_text(ruleset.id, &text), Ok(position));
        }
    }

    #[test]
    fn ruleset_ids_are_unique() {
        let mut ids: Vec<_> = rulesets().map(|ruleset| ruleset.id).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), rulesets().count());
    }
}
