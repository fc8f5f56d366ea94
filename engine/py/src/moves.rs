//! The Python class `Move`.

use ataxxd_rules::{Position as _, RulesError, with_game};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::values::to_py_error;

#[doc = stub!("Move")]
#[pyclass(frozen, eq, hash, module = "ataxxd._engine")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Move {
    game: &'static str,
    code: u64,
}

impl Move {
    pub fn of<P: ataxxd_rules::Position>(mv: P::Move) -> Self {
        Self {
            game: P::GAME,
            code: mv.into(),
        }
    }

    /// The typed move, or an error when the move is of another game.
    pub fn typed<P: ataxxd_rules::Position>(&self) -> PyResult<P::Move> {
        (self.game == P::GAME)
            .then(|| P::Move::try_from(self.code).ok())
            .flatten()
            .ok_or_else(|| {
                to_py_error(RulesError::IllegalMove(format!(
                    "{} is a move of {}; this is a position of {}.",
                    self.text(),
                    self.game,
                    P::GAME
                )))
            })
    }

    fn path(&self) -> Vec<String> {
        with_game!(self.game, P => {
            <P as ataxxd_rules::Position>::Move::try_from(self.code).map(P::move_squares)
        })
        .expect("a move is of a known game")
        .expect("a move has a valid code")
    }
}

#[pymethods]
impl Move {
    #[new]
    fn new(game: &str, text: &str) -> PyResult<Self> {
        with_game!(game, P => P::move_from_text(text).map(Self::of::<P>))
            .unwrap_or_else(|| {
                let mut known: Vec<_> = ataxxd_rules::rulesets().map(|r| r.game).collect();
                known.dedup();
                Err(RulesError::UnknownRuleset(format!(
                    "There is no game \"{}\"; there are {}.",
                    game.escape_debug(),
                    known.join(", ")
                )))
            })
            .map_err(to_py_error)
    }

    #[doc = stub!("Move.game")]
    #[getter]
    fn game(&self) -> &'static str {
        self.game
    }

    #[doc = stub!("Move.text")]
    #[getter]
    fn text(&self) -> String {
        with_game!(self.game, P => {
            <P as ataxxd_rules::Position>::Move::try_from(self.code).map(P::move_text)
        })
        .expect("a move is of a known game")
        .expect("a move has a valid code")
    }

    #[doc = stub!("Move.squares")]
    #[getter]
    fn squares<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.path())
    }

    #[expect(clippy::wrong_self_convention, reason = "the field's name in Python")]
    #[doc = stub!("Move.from_square")]
    #[getter]
    fn from_square(&self) -> Option<String> {
        let path = self.path();
        (path.len() > 1).then(|| path[0].clone())
    }

    #[doc = stub!("Move.to_square")]
    #[getter]
    fn to_square(&self) -> Option<String> {
        self.path().pop()
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Move('{}', '{}')", self.game, self.text())
    }

    fn __getnewargs__(&self) -> (&'static str, String) {
        (self.game, self.text())
    }
}
