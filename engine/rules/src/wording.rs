//! Parts of error messages that several games share.

/// Foreign text for a message: escaped, in quotation marks, and cut short.
pub fn quoted(text: &str) -> String {
    let mut shown: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().nth(60).is_some() {
        shown.push('…');
    }
    format!("\"{shown}\"")
}

/// A plain decimal number: digits only.
pub fn read_number(text: &str) -> Option<u32> {
    text.bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| text.parse().ok())?
}

/// Alternatives as a sentence has them: `a`, `a or b`, `a, b or c`; the rest of a long list
/// is counted.
pub fn either(items: &[String]) -> String {
    const SHOWN: usize = 12;
    match items {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] if items.len() <= SHOWN => format!("{} or {last}", first.join(", ")),
        _ => format!(
            "{} or one of {} more",
            items[..SHOWN].join(", "),
            items.len() - SHOWN
        ),
    }
}
