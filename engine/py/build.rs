//! Splits the docstrings of the stub into files, from which the module is documented, and tells
//! macOS's linker that Python's symbols come later.

use std::path::Path;
use std::{env, fs};

const STUB: &str = "../../ataxxd/_engine.pyi";

fn main() {
    pyo3_build_config::add_extension_module_link_args();
    println!("cargo::rerun-if-changed={STUB}");
    println!("cargo::rerun-if-changed=build.rs");
    let stub = fs::read_to_string(STUB).expect("the stub stands in the source tree");
    let folder = env::var_os("OUT_DIR").expect("cargo sets it");
    for (name, text) in docstrings(&stub) {
        fs::write(Path::new(&folder).join(name), text).expect("cargo made the folder");
    }
}

/// The docstrings of classes and functions by their dotted names. A class says how it is made, too.
fn docstrings(stub: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let (mut class, mut name) = (String::new(), String::new());
    let mut lines = stub.lines();
    while let Some(line) = lines.next() {
        let begun = line.trim_start();
        let indent = line.len() - begun.len();
        if let Some(rest) = begun.strip_prefix("class ") {
            class = identifier(rest).to_owned();
            name = class.clone();
        } else if let Some(rest) = begun.strip_prefix("def ") {
            let function = identifier(rest);
            name = if indent == 0 {
                function.to_owned()
            } else {
                format!("{class}.{function}")
            };
        } else if let Some(first) = begun.strip_prefix("\"\"\"").filter(|_| !name.is_empty()) {
            let mut text = String::new();
            let mut part = first;
            loop {
                let ended = part.strip_suffix("\"\"\"");
                text += ended.unwrap_or(part);
                text.push('\n');
                if ended.is_some() {
                    break;
                }
                let next = lines.next().expect("a docstring ends");
                part = next.get(indent..).unwrap_or("");
            }
            match name.strip_suffix(".__new__") {
                Some(made) => {
                    let (_, of) = found
                        .iter_mut()
                        .find(|(each, _)| each == made)
                        .expect("its class came before");
                    *of += &format!("\n{text}");
                }
                None => found.push((name.clone(), text)),
            }
            name.clear();
        }
    }
    for (_, text) in &mut found {
        text.truncate(text.trim_end().len());
    }
    found
}

fn identifier(text: &str) -> &str {
    let end = text.find(|sign: char| !sign.is_alphanumeric() && sign != '_');
    &text[..end.unwrap_or(text.len())]
}
