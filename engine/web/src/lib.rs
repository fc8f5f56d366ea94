//! What a page needs of the engine: the rules, keys, signatures and digests.
//!
//! Called as [`ataxxd_border`] says; `clients/browser/src/engine.ts` is the other side.

pub mod keys;
pub mod play;

use ataxxd_border::{answer, answer_text};

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

/// What a move does for its player; see [`play::reason`].
#[unsafe(no_mangle)]
pub extern "C" fn reason() -> i32 {
    answer_text(|[ruleset, text, mv, mate_in]| play::reason(ruleset, text, mv, mate_in))
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
