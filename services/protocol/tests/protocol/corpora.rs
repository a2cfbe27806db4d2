//! What fuzzing has found worth trying is tried each time.

use std::path::Path;

use crate::fuzzing::TARGETS;

#[test]
fn what_any_bytes_must_leave_true_holds_for_those_that_fuzzing_kept() {
    for (name, try_it) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
        let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert!(files.len() >= 10, "{name}: {}", files.len());
        for file in files {
            try_it(&std::fs::read(file).unwrap());
        }
    }
}
