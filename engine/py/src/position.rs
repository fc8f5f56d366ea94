//! The Python class `Position`.

use std::ops::ControlFlow;

use ataxxd_rules::{AnyPosition, Position as _, RulesError, with_position};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::moves::Move;
use crate::signals::SignalCheck;
use crate::values::{to_py_error, to_py_outcome, to_py_side};

/// A position of any game.
#[pyclass(frozen, eq, hash, module = "ataxxd._engine")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Position {
    pub inner: AnyPosition,
}

/// The position, unless its ruleset or text was refused.
fn wrap(result: Result<AnyPosition, RulesError>) -> PyResult<Position> {
    result.map(|inner| Position { inner }).map_err(to_py_error)
}

/// Moves as a tuple of Python objects.
pub fn move_tuple<'py, P: ataxxd_rules::Position>(
    py: Python<'py>,
    moves: &[P::Move],
) -> PyResult<Bound<'py, PyTuple>> {
    let moves: Vec<_> = moves.iter().map(|&mv| Move::of::<P>(mv)).collect();
    PyTuple::new(py, moves)
}

#[pymethods]
impl Position {
    #[new]
    fn new(ruleset: &str, text: &str) -> PyResult<Self> {
        wrap(AnyPosition::from_text(ruleset, text))
    }

    #[staticmethod]
    fn start(ruleset: &str) -> PyResult<Self> {
        wrap(AnyPosition::start(ruleset))
    }

    #[staticmethod]
    fn from_text(ruleset: &str, text: &str) -> PyResult<Self> {
        wrap(AnyPosition::from_text(ruleset, text))
    }

    #[getter]
    fn ruleset(&self) -> &'static str {
        with_position!(&self.inner, p => p.ruleset().id)
    }

    #[getter]
    fn game(&self) -> &'static str {
        with_position!(&self.inner, p => p.ruleset().game)
    }

    #[getter]
    fn text(&self) -> String {
        with_position!(&self.inner, p => p.text())
    }

    #[getter]
    fn turn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_py_side(py, with_position!(&self.inner, p => p.turn()))
    }

    #[getter]
    fn key(&self) -> u64 {
        with_position!(&self.inner, p => p.key())
    }

    #[getter]
    fn legal_moves<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        fn of<'py, P: ataxxd_rules::Position>(
            py: Python<'py>,
            position: &P,
        ) -> PyResult<Bound<'py, PyTuple>> {
            move_tuple::<P>(py, &position.legal_moves())
        }
        with_position!(&self.inner, p => of(py, p))
    }

    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        with_position!(&self.inner, p => p.outcome())
            .map(|outcome| to_py_outcome(py, outcome))
            .transpose()
    }

    #[getter]
    fn counts(&self) -> (u32, u32) {
        with_position!(&self.inner, p => p.counts()).into()
    }

    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, with_position!(&self.inner, p => p.rows()))
    }

    fn parse_move(&self, text: &str) -> PyResult<Move> {
        fn of<P: ataxxd_rules::Position>(position: &P, text: &str) -> PyResult<Move> {
            position
                .parse_move(text)
                .map(Move::of::<P>)
                .map_err(to_py_error)
        }
        with_position!(&self.inner, p => of(p, text))
    }

    #[pyo3(signature = (r#move, notation = "canonical"))]
    fn format_move(&self, r#move: &Move, notation: &str) -> PyResult<String> {
        fn of<P: ataxxd_rules::Position>(
            position: &P,
            mv: &Move,
            notation: &str,
        ) -> PyResult<String> {
            let mv = mv.typed::<P>()?;
            position.play(mv).map_err(to_py_error)?;
            if notation == "canonical" {
                return Ok(P::move_text(mv));
            }
            position.format_move(mv, notation).ok_or_else(|| {
                PyValueError::new_err(format!(
                    "{} has no notation \"{}\"; it has canonical, {}.",
                    P::GAME,
                    notation.escape_debug(),
                    P::NOTATIONS.join(", ")
                ))
            })
        }
        with_position!(&self.inner, p => of(p, r#move, notation))
    }

    fn is_legal(&self, r#move: &Move) -> bool {
        fn of<P: ataxxd_rules::Position>(position: &P, mv: &Move) -> bool {
            mv.typed::<P>().is_ok_and(|mv| position.is_legal(mv))
        }
        with_position!(&self.inner, p => of(p, r#move))
    }

    fn play(&self, r#move: &Move) -> PyResult<Self> {
        fn of<P: ataxxd_rules::Position + Into<AnyPosition>>(
            position: &P,
            mv: &Move,
        ) -> PyResult<AnyPosition> {
            position
                .play(mv.typed::<P>()?)
                .map(Into::into)
                .map_err(to_py_error)
        }
        let inner = with_position!(&self.inner, p => of(p, r#move))?;
        Ok(Self { inner })
    }

    fn perft(&self, py: Python<'_>, depth: u32) -> PyResult<u64> {
        let mut signals = SignalCheck::new();
        let counted = py.detach(|| {
            let keep_going = &mut || signals.keep_going();
            with_position!(&self.inner, p => p.perft_while(depth, keep_going))
        });
        signals.finish()?;
        match counted {
            ControlFlow::Continue(nodes) => Ok(nodes),
            ControlFlow::Break(()) => unreachable!("only a signal breaks perft"),
        }
    }

    fn __repr__(&self) -> String {
        format!("Position('{}', '{}')", self.ruleset(), self.text())
    }

    fn __getnewargs__(&self) -> (&'static str, String) {
        (self.ruleset(), self.text())
    }
}
