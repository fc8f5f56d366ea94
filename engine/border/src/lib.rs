//! How a page calls a WebAssembly module.
//!
//! Only numbers are passed, so there is one buffer for each direction. The page gets room from
//! [`input`], writes its bytes there, and calls a function. That returns how many bytes it has left at
//! [`output`], or minus that number when they are the text of an error. Texts are UTF-8; several of
//! them are separated by line feeds, which no position, move or ruleset has.

use std::cell::RefCell;

thread_local! {
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static OUTPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Room for `length` bytes, to be written before the next call.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|room| {
        room.clear();
        room.resize(length, 0);
        room.as_mut_ptr()
    })
}

/// Where the last call has left its answer.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    OUTPUT.with_borrow(|answer| answer.as_ptr())
}

/// Calls `work` with the input and leaves what it returns at the output.
pub fn answer(work: impl FnOnce(&[u8]) -> Result<Vec<u8>, String>) -> i32 {
    let result = INPUT.with_borrow(|given| work(given));
    let (bytes, sign) = match result {
        Ok(bytes) => (bytes, 1),
        Err(text) => (text.into_bytes(), -1),
    };
    let length = i32::try_from(bytes.len()).expect("an answer is small");
    OUTPUT.with_borrow_mut(|room| *room = bytes);
    sign * length
}

/// As [`answer`], for texts separated by line feeds.
pub fn answer_text<const N: usize>(work: impl FnOnce([&str; N]) -> Result<String, String>) -> i32 {
    answer(|given| {
        let text = std::str::from_utf8(given).map_err(|_| "The text is not UTF-8.".to_owned())?;
        let parts: Vec<_> = text.split('\n').collect();
        let count = parts.len();
        let parts = parts
            .try_into()
            .map_err(|_| format!("{N} texts are needed, not {count}."))?;
        work(parts).map(String::into_bytes)
    })
}
