//! The Python class `Position`.

use std::ops::ControlFlow;

use ataxxd_rules::reasons::reason;
use ataxxd_rules::{AnyPosition, Position as _, RulesError, with_position};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arguments::{the_move, whole};
use crate::moves::Move;
use crate::signals::SignalCheck;
use crate::values::{to_py_error, to_py_outcome, to_py_side};

#[doc = stub!("Position")]
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

/// The board with its coordinates, and below it the side to move, unless the game is over.
fn drawn<P: ataxxd_rules::Position>(position: &P) -> String {
    let names = position.square_names();
    let lettered = |name: &str| name.starts_with(|sign: char| sign.is_ascii_alphabetic());
    let mut lines = Vec::new();
    for (row, names) in position.rows().iter().zip(&names) {
        let first = names.iter().flatten().next().map_or("", String::as_str);
        let label = first.trim_start_matches(|sign: char| sign.is_ascii_alphabetic());
        let squares: Vec<_> = row.chars().map(String::from).collect();
        lines.push(
            format!("{label:>2}  {}", squares.join(" "))
                .trim_end()
                .to_owned(),
        );
    }
    let below: Vec<_> = names.last().into_iter().flatten().flatten().collect();
    if below.iter().all(|name| lettered(name)) {
        let letters: Vec<_> = below.iter().map(|name| &name[..1]).collect();
        lines.push(format!("    {}", letters.join(" ")));
    }
    if position.outcome().is_none() {
        let side = position.turn();
        let name = position.ruleset().side_names[side.index()];
        lines.push(format!("{name} ({}) to move", ["x", "o"][side.index()]));
    }
    lines.join("\n")
}

#[pymethods]
impl Position {
    #[new]
    fn new(ruleset: &str, text: &str) -> PyResult<Self> {
        wrap(AnyPosition::from_text(ruleset, text))
    }

    #[doc = stub!("Position.start")]
    #[staticmethod]
    fn start(ruleset: &str) -> PyResult<Self> {
        wrap(AnyPosition::start(ruleset))
    }

    #[doc = stub!("Position.from_text")]
    #[staticmethod]
    fn from_text(ruleset: &str, text: &str) -> PyResult<Self> {
        wrap(AnyPosition::from_text(ruleset, text))
    }

    #[doc = stub!("Position.ruleset")]
    #[getter]
    fn ruleset(&self) -> &'static str {
        with_position!(&self.inner, p => p.ruleset().id)
    }

    #[doc = stub!("Position.game")]
    #[getter]
    fn game(&self) -> &'static str {
        with_position!(&self.inner, p => p.ruleset().game)
    }

    #[doc = stub!("Position.text")]
    #[getter]
    fn text(&self) -> String {
        with_position!(&self.inner, p => p.text())
    }

    #[doc = stub!("Position.turn")]
    #[getter]
    fn turn<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        to_py_side(py, with_position!(&self.inner, p => p.turn()))
    }

    #[doc = stub!("Position.key")]
    #[getter]
    fn key(&self) -> u64 {
        with_position!(&self.inner, p => p.key())
    }

    #[doc = stub!("Position.legal_moves")]
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

    #[doc = stub!("Position.outcome")]
    #[getter]
    fn outcome<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        with_position!(&self.inner, p => p.outcome())
            .map(|outcome| to_py_outcome(py, outcome))
            .transpose()
    }

    #[doc = stub!("Position.counts")]
    #[getter]
    fn counts(&self) -> (u32, u32) {
        with_position!(&self.inner, p => p.counts()).into()
    }

    #[doc = stub!("Position.rows")]
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, with_position!(&self.inner, p => p.rows()))
    }

    #[doc = stub!("Position.square_names")]
    #[getter]
    fn square_names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let rows = with_position!(&self.inner, p => p.square_names());
        let rows: PyResult<Vec<_>> = rows.iter().map(|row| PyTuple::new(py, row)).collect();
        PyTuple::new(py, rows?)
    }

    #[doc = stub!("Position.captures")]
    fn captures<'py>(
        &self,
        py: Python<'py>,
        r#move: &Bound<'_, PyAny>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        fn of<P: ataxxd_rules::Position>(position: &P, mv: &Move) -> PyResult<Vec<String>> {
            let mv = mv.typed::<P>()?;
            position.play(mv).map_err(to_py_error)?;
            Ok(position.captures(mv))
        }
        PyTuple::new(
            py,
            with_position!(&self.inner, p => of(p, the_move(r#move)?))?,
        )
    }

    #[doc = stub!("Position.parse_move")]
    fn parse_move(&self, text: &str) -> PyResult<Move> {
        fn of<P: ataxxd_rules::Position>(position: &P, text: &str) -> PyResult<Move> {
            position
                .parse_move(text)
                .map(Move::of::<P>)
                .map_err(to_py_error)
        }
        with_position!(&self.inner, p => of(p, text))
    }

    #[doc = stub!("Position.format_move")]
    #[pyo3(signature = (r#move, notation = "canonical"))]
    fn format_move(&self, r#move: &Bound<'_, PyAny>, notation: &str) -> PyResult<String> {
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
                    "{} has no notation \"{}\"; it has {}.",
                    P::GAME,
                    notation.escape_debug(),
                    [&["canonical"], P::NOTATIONS].concat().join(", ")
                ))
            })
        }
        with_position!(&self.inner, p => of(p, the_move(r#move)?, notation))
    }

    #[doc = stub!("Position.reason")]
    #[pyo3(signature = (r#move, mate_in = None))]
    fn reason(&self, r#move: &Bound<'_, PyAny>, mate_in: Option<i32>) -> PyResult<Option<String>> {
        fn of<P: ataxxd_rules::Position>(
            position: &P,
            mv: &Move,
            mate_in: Option<i32>,
        ) -> PyResult<Option<String>> {
            let mv = mv.typed::<P>()?;
            position.play(mv).map_err(to_py_error)?;
            Ok(reason(position, mv, mate_in))
        }
        with_position!(&self.inner, p => of(p, the_move(r#move)?, mate_in))
    }

    #[doc = stub!("Position.is_legal")]
    fn is_legal(&self, r#move: &Bound<'_, PyAny>) -> PyResult<bool> {
        fn of<P: ataxxd_rules::Position>(position: &P, mv: &Move) -> bool {
            mv.typed::<P>().is_ok_and(|mv| position.is_legal(mv))
        }
        let mv = the_move(r#move)?;
        Ok(with_position!(&self.inner, p => of(p, mv)))
    }

    #[doc = stub!("Position.play")]
    fn play(&self, r#move: &Bound<'_, PyAny>) -> PyResult<Self> {
        fn of<P: ataxxd_rules::Position + Into<AnyPosition>>(
            position: &P,
            mv: &Move,
        ) -> PyResult<AnyPosition> {
            position
                .play(mv.typed::<P>()?)
                .map(Into::into)
                .map_err(to_py_error)
        }
        let inner = with_position!(&self.inner, p => of(p, the_move(r#move)?))?;
        Ok(Self { inner })
    }

    #[doc = stub!("Position.perft")]
    fn perft(&self, py: Python<'_>, #[pyo3(from_py_with = whole)] depth: u32) -> PyResult<u64> {
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

    fn __str__(slf: &Bound<'_, Self>) -> PyResult<String> {
        let board = with_position!(&slf.get().inner, p => drawn(p));
        let outcome = slf.getattr("outcome")?;
        if outcome.is_none() {
            return Ok(board);
        }
        let ending = slf.py().import("ataxxd.rules.values")?;
        let told = ending.call_method1("ending_text", (outcome, slf))?;
        Ok(format!("{board}\n{told}"))
    }

    /// What notebooks show.
    fn _repr_svg_<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py()
            .import("ataxxd.rules.svg")?
            .getattr("board")?
            .call1((slf,))
    }

    fn __repr__(&self) -> String {
        format!("Position('{}', '{}')", self.ruleset(), self.text())
    }

    fn __getnewargs__(&self) -> (&'static str, String) {
        (self.ruleset(), self.text())
    }
}
