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
use crate::repair::{Answer, Class, Scene};
use crate::sql::edit::Edit;

use super::edited_text::Stage;
use super::mentioned_names::Known;

/// A mistake, mended.
#[derive(Clone)]
pub(in crate::repair) struct Mend {
    /// Its edits of the text as it stands.
    pub edits: Vec<Edit>,
    /// What was done, for the client.
    pub change: String,
}

/// Looks for one kind of mistake.
type Kind = fn(&Stage, &Known<'_>) -> Option<Mend>;

/// The kinds, in order: what decides where literals end comes first, and what is certain comes
/// before what has to be tried.
const KINDS: &[Kind] = &[
    super::typography::mend,
    super::apostrophes::mend,
    super::escapes::mend,
    super::backticks::mend,
    super::brackets::mend,
    super::operators::mend,
    super::limit_pair::mend,
    super::string_alias::mend,
    super::intervals::mend,
    super::commas::mend,
    super::spaced_names::mend,
    super::reserved_words::mend,
    super::keywords::mend,
    super::parentheses::mend,
];

/// Mends what can be mended of a text that the grammar or the server does not take.
pub(in crate::repair) fn recover(scene: &Scene<'_>) -> Answer {
    let known = Known::of(scene);
    let mut stage = Stage::new(scene.text);
    if scene.failure.class != Class::SyntaxError {
        return super::misreadings::look(scene, &stage, &known);
    }
    let mut changes: Vec<String> = Vec::new();
    let mut take = |stage: &mut Stage, mend: Mend| {
        if !changes.contains(&mend.change) {
            changes.push(mend.change);
        }
        stage.apply(mend.edits)
    };
    let mut parses = scene.tree.is_some();
    for _ in 0..limits::MEND_ROUNDS_MAX {
        parses = parses || stage.parse().is_some();
        if parses {
            break;
        }
        // While a quote is open, tokens say little: what follows may be a literal.
        let mut kinds = KINDS
            .iter()
            .take(if stage.is_open() { 3 } else { KINDS.len() });
        let mend = kinds.find_map(|kind| kind(&stage, &known));
        let Some(mend) = mend else { break };
        if !take(&mut stage, mend) {
            break;
        }
    }
    if parses && let Some(mend) = super::subquery_alias::mend(&stage, &known) {
        take(&mut stage, mend);
    }
    let edits = stage.edits();
    if parses && !edits.is_empty() {
        return Answer::exact(edits, changes.join("; "));
    }
    super::advice::of(scene).map_or(Answer::Silent, Answer::hint)
}

/// Writes the signs of word processors as those of SQL, in a text that parses as it is.
pub(in crate::repair) fn straighten(scene: &Scene<'_>) -> Option<Answer> {
    let known = Known::of(scene);
    let mut stage = Stage::new(scene.text);
    let mend = super::typography::mend(&stage, &known)?;
    let change = mend.change.clone();
    let fits = stage.apply(mend.edits) && stage.parse().is_some();
    fits.then(|| Answer::exact(stage.edits(), change))
}

/// Whether a letter is one that word processors put in the place of a sign of SQL.
pub(in crate::repair) fn is_typographic(letter: char) -> bool {
    super::typography::straight(letter).is_some()
}

/// One edit.
pub(in crate::repair::recoverers::syntax_error) fn edit(span: std::ops::Range<usize>, replacement: impl Into<String>) -> Edit {
    Edit {
        span,
        replacement: replacement.into(),
    }
}

/// A mend of these edits, if there are any.
pub(in crate::repair::recoverers::syntax_error) fn mended(edits: Vec<Edit>, change: &str) -> Option<Mend> {
    (!edits.is_empty()).then(|| Mend {
        edits,
        change: change.to_owned(),
    })
}
