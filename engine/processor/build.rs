//! Says whether the compiler knows AVX-512, which became stable with Rust 1.89.

use std::env;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(avx512)");
    let rustc = env::var_os("RUSTC").expect("cargo names the compiler");
    let output = Command::new(rustc).arg("--version").output();
    let version = String::from_utf8(output.expect("it starts").stdout).expect("it is text");
    if minor(&version).is_some_and(|minor| minor >= 89) {
        println!("cargo::rustc-cfg=avx512");
    }
}

/// The 89 of "rustc 1.89.0 (...)".
fn minor(version: &str) -> Option<u32> {
    let number = version.strip_prefix("rustc 1.")?;
    number.split('.').next()?.parse().ok()
}
