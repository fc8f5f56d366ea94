//! What a page needs of the engine: the rules, keys, signatures and digests.
//!
//! WebAssembly passes numbers only, so the border is one buffer a direction. The page asks for
//! room by [`input`], writes its bytes there, and calls a function with their number; the function
//! returns how many bytes it has left at [`output`], or minus that number when they are the text
//! of an error. Texts are UTF-8; several of them are separated by line feeds, which no position,
//! move or ruleset holds. `clients/browser/src/engine.ts` is the other side of the border.

pub mod keys;
pub mod play;

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
fn answer(work: impl FnOnce(&[u8]) -> Result<Vec<u8>, String>) -> i32 {
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
fn answer_text<const N: usize>(work: impl FnOnce([&str; N]) -> Result<String, String>) -> i32 {
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

/// Every ruleset; see [`play::rulesets`].
#[unsafe(no_mangle)]
pub extern "C" fn rulesets() -> i32 {
    answer(|_| Ok(play::rulesets().into_bytes()))
}

/// The position in which a ruleset begins; see [`play::start`].
#[unsafe(no_mangle)]
pub extern "C" fn start() -> i32 {
    answer_text(|[ruleset]| play::start(ruleset))
}

/// What a position's text says; see [`play::position`].
#[unsafe(no_mangle)]
pub extern "C" fn position() -> i32 {
    answer_text(|[ruleset, text]| play::position(ruleset, text))
}

/// The names of the squares; see [`play::squares`].
#[unsafe(no_mangle)]
pub extern "C" fn squares() -> i32 {
    answer_text(|[ruleset, text]| play::squares(ruleset, text))
}

/// The legal moves and what they lead to; see [`play::legal`].
#[unsafe(no_mangle)]
pub extern "C" fn legal() -> i32 {
    answer_text(|[ruleset, text]| play::legal(ruleset, text))
}

/// A move as people type it; see [`play::parse_move`].
#[unsafe(no_mangle)]
pub extern "C" fn parse_move() -> i32 {
    answer_text(|[ruleset, text, typed]| play::parse_move(ruleset, text, typed))
}

/// The position after a move; see [`play::play`].
#[unsafe(no_mangle)]
pub extern "C" fn play() -> i32 {
    answer_text(|[ruleset, text, mv]| play::play(ruleset, text, mv))
}

/// SHA-256 of the input: 32 bytes.
#[unsafe(no_mangle)]
pub extern "C" fn sha256() -> i32 {
    answer(|data| Ok(keys::sha256(data).to_vec()))
}

/// HMAC-SHA256: the key is the first `key_length` bytes of the input.
#[unsafe(no_mangle)]
pub extern "C" fn hmac_sha256(key_length: usize) -> i32 {
    answer(|given| {
        let (key, data) = given
            .split_at_checked(key_length)
            .ok_or("The key is longer than the input.")?;
        Ok(keys::hmac_sha256(key, data).to_vec())
    })
}

/// The public key of the 32 bytes of a seed.
#[unsafe(no_mangle)]
pub extern "C" fn public_key() -> i32 {
    answer(|seed| Ok(keys::public_key(&keys::array(seed)?).to_vec()))
}

/// The signature by a seed, the first 32 bytes of the input, over the others.
#[unsafe(no_mangle)]
pub extern "C" fn sign() -> i32 {
    answer(|given| {
        let (seed, data) = given.split_at_checked(32).ok_or("A seed has 32 bytes.")?;
        Ok(keys::sign(&keys::array(seed)?, data).to_vec())
    })
}

/// Whether a signature holds: of the input 32 bytes are the public key, 64 the signature, and the
/// others what is signed. One byte, 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn verify() -> i32 {
    answer(|given| {
        let (key, rest) = given.split_at_checked(32).ok_or("A key has 32 bytes.")?;
        let (signature, data) = rest
            .split_at_checked(64)
            .ok_or("A signature has 64 bytes.")?;
        let holds = keys::verify(&keys::array(key)?, &keys::array(signature)?, data);
        Ok(vec![u8::from(holds)])
    })
}
