//! What the grammar does not accept, repaired token by token.
//!
//! One file beside this for each kind of mistake. Those that can be nothing else are repaired
//! wherever they stand; those of which there could be several readings only where exactly one of
//! them parses. Nothing is answered unless the whole text parses afterwards.
//!
//! * `edited_text`: the text on its way; `mentioned_names`: the relations and columns that it names
//! * always a mistake: `typography`, `escapes`, `backticks`, `brackets`, `operators`, `limit_pair`,
//!   `string_alias`, `intervals`, `commas`
//! * one reading only: `apostrophes`, `spaced_names`, `reserved_words`, `keywords`, `parentheses`
//! * what the server and not the grammar says: `subquery_alias`
//! * `misreadings`: what parses, and was not meant so
//! * `advice`: words about what is not repaired

use crate::limits;
use crate::repair::{FailureClass, RecovererAnswer, RepairContext};
use crate::sql::edit::TextEdit;

use super::edited_text::EditedText;
use super::mentioned_names::MentionedNames;

/// A mistake, repaired.
#[derive(Clone)]
pub(in crate::repair) struct TokenRepair {
    /// Its edits of the text as it stands.
    pub edits: Vec<TextEdit>,
    /// What was done, for the client.
    pub change: String,
}

/// Looks for one kind of mistake.
type MistakeFinder = fn(&EditedText, &MentionedNames<'_>) -> Option<TokenRepair>;

/// The kinds, in order: what decides where literals end comes first, and what is certain comes
/// before what has to be tried.
const MISTAKE_FINDERS: &[MistakeFinder] = &[
    super::typography::repair,
    super::apostrophes::repair,
    super::escapes::repair,
    super::backticks::repair,
    super::brackets::repair,
    super::operators::repair,
    super::limit_pair::repair,
    super::string_alias::repair,
    super::intervals::repair,
    super::commas::repair,
    super::spaced_names::repair,
    super::reserved_words::repair,
    super::keywords::repair,
    super::parentheses::repair,
];

/// Repairs what can be repaired of a text that the grammar or the server does not take.
pub(in crate::repair) fn recover(context: &RepairContext<'_>) -> RecovererAnswer {
    let known = MentionedNames::of(context);
    let mut edited = EditedText::new(context.text);
    if context.failure.class != FailureClass::SyntaxError {
        return super::misreadings::recover(context, &edited, &known);
    }
    let mut changes: Vec<String> = Vec::new();
    let mut take = |edited: &mut EditedText, repair: TokenRepair| {
        if !changes.contains(&repair.change) {
            changes.push(repair.change);
        }
        edited.apply(repair.edits)
    };
    let mut parses = context.tree.is_some();
    for _ in 0..limits::SYNTAX_ROUNDS_MAX {
        parses = parses || edited.parse().is_some();
        if parses {
            break;
        }
        // While a quote is open, tokens say little: what follows may be a literal.
        let mut kinds = MISTAKE_FINDERS.iter().take(if edited.is_open() {
            3
        } else {
            MISTAKE_FINDERS.len()
        });
        let repair = kinds.find_map(|kind| kind(&edited, &known));
        let Some(repair) = repair else { break };
        if !take(&mut edited, repair) {
            break;
        }
    }
    if parses && let Some(repair) = super::subquery_alias::repair(&edited, &known) {
        take(&mut edited, repair);
    }
    let edits = edited.edits();
    if parses && !edits.is_empty() {
        return RecovererAnswer::exact(edits, changes.join("; "));
    }
    super::advice::of(context).map_or(RecovererAnswer::Silent, RecovererAnswer::hint)
}

/// Writes the signs of word processors as those of SQL, in a text that parses as it is.
pub(in crate::repair) fn straighten_typography(
    context: &RepairContext<'_>,
) -> Option<RecovererAnswer> {
    let known = MentionedNames::of(context);
    let mut edited = EditedText::new(context.text);
    let repair = super::typography::repair(&edited, &known)?;
    let change = repair.change.clone();
    let fits = edited.apply(repair.edits) && edited.parse().is_some();
    fits.then(|| RecovererAnswer::exact(edited.edits(), change))
}

/// Whether a letter is one that word processors put in the place of a sign of SQL.
pub(in crate::repair) fn is_typographic(letter: char) -> bool {
    super::typography::straight(letter).is_some()
}

/// One edit.
pub(in crate::repair::recoverers::syntax_error) fn edit(
    span: std::ops::Range<usize>,
    replacement: impl Into<String>,
) -> TextEdit {
    TextEdit {
        span,
        replacement: replacement.into(),
    }
}

/// A repair of these edits, if there are any.
pub(in crate::repair::recoverers::syntax_error) fn token_repair(
    edits: Vec<TextEdit>,
    change: &str,
) -> Option<TokenRepair> {
    (!edits.is_empty()).then(|| TokenRepair {
        edits,
        change: change.to_owned(),
    })
}
