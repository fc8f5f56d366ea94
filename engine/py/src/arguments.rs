//! Parsing of arguments, with better error messages than those of PyO3.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::moves::Move;

/// Reads a move. For the text of a move, the error says how to make a move of it.
pub fn the_move<'a>(argument: &'a Bound<'_, PyAny>) -> PyResult<&'a Move> {
    if let Ok(found) = argument.cast::<Move>() {
        return Ok(found.get());
    }
    Err(PyTypeError::new_err(
        if argument.is_instance_of::<PyString>() {
            let text = argument.repr()?;
            format!("{text} is text, not a Move; make one with position.parse_move({text}).")
        } else {
            format!("A Move is needed, not {}.", argument.get_type().name()?)
        },
    ))
}

/// Reads a number from 0, or `None` where there may be none. One that is out of range is a
/// `ValueError`, whichever end it is beyond.
pub fn whole<'a, 'py, T>(argument: &'a Bound<'py, PyAny>) -> PyResult<T>
where
    T: FromPyObject<'a, 'py, Error = PyErr>,
{
    within(argument, "is too small; the least is 0")
}

/// The same for a number that may be negative.
pub fn number(argument: &Bound<'_, PyAny>) -> PyResult<i32> {
    within(argument, "is too small")
}

fn within<'a, 'py, T>(argument: &'a Bound<'py, PyAny>, too_small: &str) -> PyResult<T>
where
    T: FromPyObject<'a, 'py, Error = PyErr>,
{
    argument.extract().map_err(|error: PyErr| {
        if !error.is_instance_of::<PyOverflowError>(argument.py()) {
            return error;
        }
        let why = match argument.lt(0) {
            Ok(true) => too_small,
            _ => "is too large",
        };
        PyValueError::new_err(format!("{argument} {why}."))
    })
}
