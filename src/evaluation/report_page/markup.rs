//! Texts of others on a page: what they say is shown, and nothing of it is markup.

use std::fmt::Write;

use crate::telemetry::session_info::is_invisible;

/// A text as it may stand in an element, or in an attribute in double quotes. What cannot be seen,
/// and what turns the direction of writing, is told by its number.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(letter),
            hidden if hidden.is_control() || is_invisible(hidden) => {
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(hidden));
            }
            seen => out.push(seen),
        }
    }
    out
}

/// The beginning of a text: at most so many characters, the last of which says that there is more.
pub(super) fn shortened(text: &str, chars_max: usize) -> String {
    if text.chars().count() <= chars_max {
        return text.to_owned();
    }
    let kept = text.chars().take(chars_max.saturating_sub(1));
    kept.chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_text_is_markup() {
        for (text, wanted) in [
            ("a < b & c > 'd'", "a &lt; b &amp; c &gt; &#39;d&#39;"),
            ("\" onload=\"x", "&quot; onload=&quot;x"),
            ("</pre><script>", "&lt;/pre&gt;&lt;script&gt;"),
            ("&lt;", "&amp;lt;"),
            ("a\n\tb\r\0", "a\n\tb⟨U+000D⟩⟨U+0000⟩"),
            ("\u{202e}drop\u{2066}", "⟨U+202E⟩drop⟨U+2066⟩"),
            ("\u{200b}\u{feff}\u{e0041}", "⟨U+200B⟩⟨U+FEFF⟩⟨U+E0041⟩"),
            ("Größe ∅ 表", "Größe ∅ 表"),
        ] {
            assert_eq!(escaped(text), wanted);
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("Größe", 5), "Größe");
        assert_eq!(shortened("Größen", 5), "Größ…");
        assert_eq!(shortened("a", 0), "…");
        assert_eq!(shortened("", 0), "");
    }
}
