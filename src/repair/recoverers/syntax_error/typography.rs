//! Signs that word processors and chat windows put in the place of those of SQL: curved quotes,
//! spaces that do not break, wide commas.
//!
//! The lexer takes all of them for letters.

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;
use super::token_repair::{TokenRepair, edit, token_repair};
use sql::lexer::TokenKind;

pub(in crate::recoverers::syntax_error) fn repair(
    edited: &EditedText,
    known: &MentionedNames<'_>,
) -> Option<TokenRepair> {
    let mut edits = Vec::new();
    let words = edited.tokens.iter().filter(|token| {
        matches!(
            token.kind,
            TokenKind::Word | TokenKind::JunkNumber | TokenKind::Other
        )
    });
    for token in words {
        let word = edited.text.get(token.span.clone()).unwrap_or_default();
        if word.is_ascii() || known.has(word) {
            continue;
        }
        for (at, letter) in word.char_indices() {
            let Some(sign) = straight(letter) else {
                continue;
            };
            let start = token.span.start.saturating_add(at);
            edits.push(edit(start..start.saturating_add(letter.len_utf8()), sign));
        }
    }
    token_repair(edits, "typographic signs are written as those of SQL")
}

pub(in crate::recoverers::syntax_error) fn straight(letter: char) -> Option<&'static str> {
    Some(match letter {
        '‘' | '’' | '‚' | '‛' | '′' | '´' | '＇' => "'",
        '“' | '”' | '„' | '‟' | '″' | '＂' => "\"",
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => {
            " "
        }
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' | '\u{ad}' => "",
        '，' | '、' | '､' => ",",
        '（' => "(",
        '）' => ")",
        '；' => ";",
        '：' => ":",
        '．' => ".",
        '＊' | '∗' => "*",
        '＝' => "=",
        '＜' => "<",
        '＞' => ">",
        '≠' => "<>",
        '≤' => "<=",
        '≥' => ">=",
        '−' | '–' | '－' => "-",
        '＋' => "+",
        _ => return None,
    })
}
