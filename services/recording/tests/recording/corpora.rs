//! What fuzzing has found worth trying is tried each time.

use std::path::Path;

use crate::fuzzing::samples;

#[test]
fn what_any_bytes_must_leave_true_of_samples_holds_for_those_that_fuzzing_kept() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../protocol/fuzz/corpus/samples");
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 10, "{}", files.len());
    for file in files {
        samples(&std::fs::read(file).unwrap());
    }
}
