//! The mask `hash` as the server computes it: HMAC-SHA-256 of a text's bytes in the encoding of
//! the database, its first [`DIGITS`] hexadecimal digits.
//!
//! The blocks of the key are computed once for a statement, from what stands in the text and the
//! setting that the session has; nothing of either shows in a plan. No value makes it fail, so that
//! no error can tell of one.

use policy::mask_key::{Block, MaskKey};

/// The expression; `text` is one of type text.
pub(super) fn expression(text: &str, key: &MaskKey) -> String {
    // Letters as they are, and a backslash by two of them: every text is read so. A collation may
    // not let it be searched for.
    let bytes = format!(
        "pg_catalog.decode(pg_catalog.replace({text} COLLATE pg_catalog.\"C\", '\\', '\\\\'), \
         'escape')"
    );
    let (inner, outer) = (block(key, Block::Inner), block(key, Block::Outer));
    format!(
        "pg_catalog.\"left\"(pg_catalog.encode(pg_catalog.sha256({outer} OPERATOR(pg_catalog.||) \
         pg_catalog.sha256({inner} OPERATOR(pg_catalog.||) {bytes})), 'hex'), {DIGITS})"
    )
}

/// A block of the key.
fn block(key: &MaskKey, which: Block) -> String {
    let setting = MaskKey::SETTING;
    let mut words = String::new();
    for (place, word) in key.combined(which).iter().enumerate() {
        let place = place + 1;
        words.push_str(&format!(
            "pg_catalog.int8send(CAST('{word}' AS pg_catalog.int8) OPERATOR(pg_catalog.#) \
             (CAST(pg_catalog.current_setting('{setting}') AS pg_catalog.int8[]))[{place}]) \
             OPERATOR(pg_catalog.||) "
        ));
    }
    let rest = format!("{:02x}", which.byte()).repeat(32);
    format!("(SELECT {words}CAST('\\x{rest}' AS pg_catalog.bytea))")
}

/// Of 64: among a million texts two are shown alike with a chance of one in 10^26.
const DIGITS: usize = 32;

#[cfg(test)]
#[path = "hashed_tests.rs"]
mod tests;
