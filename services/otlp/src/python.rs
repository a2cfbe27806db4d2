//! The module `kwitness_otlp`: columns come and go as `bytes`, in Arrow's layout.
#![expect(clippy::needless_pass_by_value, reason = "PyO3 makes owned values of Python's")]

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::columns::{Bytes, Damaged, Lists};
use crate::headers::Headers;
use crate::pushes::Settings;

/// Reads pushes of Kafka clients.
#[pymodule]
mod kwitness_otlp {
    #[pymodule_export]
    use super::{decode, header_columns};
}

impl From<Damaged> for PyErr {
    fn from(_: Damaged) -> Self {
        PyValueError::new_err("a column's offsets are not those of its data")
    }
}

/// Read pushes from one of them on; how many were read, and columns by name.
#[pyfunction]
fn decode<'py>(
    py: Python<'py>,
    offsets: &[u8],
    data: &[u8],
    start: usize,
    prefixes: Vec<String>,
    most: usize,
) -> PyResult<(usize, Bound<'py, PyDict>)> {
    let settings = Settings { prefixes: &prefixes, most };
    let read = crate::pushes::decode(&Bytes::new(offsets, data)?, start, settings)?;
    let columns = PyDict::new(py);
    for (name, bytes) in [
        ("outcomes", &read.outcomes),
        ("points", &read.points),
        ("left_out", &read.left_out),
        ("without_value", &read.without_value),
        ("unusable", &read.unusable),
        ("metric.offsets", &read.metric.offsets),
        ("metric", &read.metric.data),
        ("unit.offsets", &read.unit.offsets),
        ("unit", &read.unit.data),
        ("shape.offsets", &read.shape.offsets),
        ("shape", &read.shape.data),
        ("attributes.offsets", &read.attributes.offsets),
        ("attributes", &read.attributes.data),
        ("start_ms", &read.start_ms),
        ("value", &read.value),
        ("observations", &read.observations),
        ("bounds.offsets", &read.bounds.0),
        ("bounds", &read.bounds.1),
        ("bucket_counts.offsets", &read.bucket_counts.0),
        ("bucket_counts", &read.bucket_counts.1),
    ] {
        columns.set_item(name, PyBytes::new(py, bytes))?;
    }
    Ok((read.pushes, columns))
}

type Column<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>, Bound<'py, PyBytes>);

/// Offsets, data and presence of each wanted header, and which records have one that is not UTF-8.
#[pyfunction]
fn header_columns<'py>(
    py: Python<'py>,
    lists: &[u8],
    keys: (Bound<'py, PyBytes>, Bound<'py, PyBytes>),
    values: (Bound<'py, PyBytes>, Bound<'py, PyBytes>),
    present: &[u8],
    wanted: Vec<String>,
) -> PyResult<(Vec<Column<'py>>, Bound<'py, PyBytes>)> {
    let headers = Headers {
        lists: Lists::new(lists)?,
        keys: Bytes::new(keys.0.as_bytes(), keys.1.as_bytes())?,
        values: Bytes::new(values.0.as_bytes(), values.1.as_bytes())?,
        present,
    };
    let (columns, unreadable) = crate::headers::header_columns(&headers, &wanted)?;
    let bytes = |content: &[u8]| PyBytes::new(py, content);
    let given = columns.iter().map(|one| (bytes(&one.texts.offsets), bytes(&one.texts.data), bytes(&one.present)));
    Ok((given.collect(), bytes(&unreadable)))
}
