//! The values that Python defines and this module makes.

use ataxxd_rules::{Outcome, RulesError, Side};
use pyo3::call::PyCallArgs;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyTuple, PyType};

mod errors {
    pyo3::import_exception!(ataxxd.rules.values, IllegalMoveError);
    pyo3::import_exception!(ataxxd.rules.values, InvalidMoveError);
    pyo3::import_exception!(ataxxd.rules.values, InvalidPositionError);
    pyo3::import_exception!(ataxxd.rules.values, UnknownRulesetError);
}

const VALUES: &str = "ataxxd.rules.values";

/// The Python exception of a refusal.
pub fn to_py_error(error: RulesError) -> PyErr {
    match error {
        RulesError::InvalidMove(message) => errors::InvalidMoveError::new_err(message),
        RulesError::IllegalMove(message) => errors::IllegalMoveError::new_err(message),
        RulesError::InvalidPosition(message) => errors::InvalidPositionError::new_err(message),
        RulesError::UnknownRuleset(message) => errors::UnknownRulesetError::new_err(message),
    }
}

/// The member of `ataxxd.rules.values.Side`.
pub fn to_py_side(py: Python<'_>, side: Side) -> PyResult<Bound<'_, PyAny>> {
    static SIDE: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    SIDE.import(py, VALUES, "Side")?.call1((side.index(),))
}

/// An `ataxxd.rules.values.Outcome`.
pub fn to_py_outcome(py: Python<'_>, outcome: Outcome) -> PyResult<Bound<'_, PyAny>> {
    static OUTCOME: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let winner = outcome
        .winner
        .map(|side| to_py_side(py, side))
        .transpose()?;
    OUTCOME
        .import(py, VALUES, "Outcome")?
        .call1((outcome.termination, winner))
}

/// An `ataxxd.rules.values.SearchResult` of its fields in order.
pub fn to_py_result<'py>(
    py: Python<'py>,
    fields: impl PyCallArgs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    static RESULT: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    RESULT.import(py, VALUES, "SearchResult")?.call1(fields)
}

#[doc = stub!("rulesets")]
#[pyfunction]
pub fn rulesets(py: Python<'_>) -> PyResult<Bound<'_, PyTuple>> {
    static INFO: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let info = INFO.import(py, VALUES, "RulesetInfo")?;
    let all = ataxxd_rules::rulesets()
        .map(|ruleset| {
            info.call1((
                ruleset.id,
                ruleset.game,
                ruleset.title,
                (ruleset.side_names[0], ruleset.side_names[1]),
                ruleset.description,
            ))
        })
        .collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, all)
}
