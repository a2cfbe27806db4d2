//! Says how the library is linked.

fn main() {
    // librdkafka unloads a plugin with the configuration that named it; our thread may still run then.
    println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    println!("cargo::rerun-if-changed=build.rs");
}
