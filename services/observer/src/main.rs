//! The program, which is all in the library: a simulation runs parts of it.

fn main() -> std::process::ExitCode {
    kwitness_observer::main()
}
