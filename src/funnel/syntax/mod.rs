//! What the grammar does not accept, mended token by token.
//!
//! One file for each kind of mistake. Those that can be nothing else are mended wherever they
//! stand; those of which there could be several readings only where exactly one of them parses.
//! Nothing is answered unless the whole text parses afterwards.
//!
//! * [`stage`]: the text on its way; [`known`]: what it names
//! * always a mistake: `characters`, `escapes`, `backticks`, `brackets`, `operators`, `limit_pair`,
//!   `string_alias`, `intervals`, `commas`
//! * one reading only: `apostrophes`, `spaced_names`, `reserved_words`, `keywords`, `parentheses`
//! * what the server and not the grammar says: `subquery_alias`
//! * `accidents`: what parses, and was not meant so
//! * [`advice`]: words about what is not mended

mod accidents;
mod advice;
mod apostrophes;
mod backticks;
mod brackets;
mod characters;
mod commas;
mod escapes;
mod intervals;
mod keyword_list;
mod keywords;
mod known;
mod limit_pair;
mod operators;
mod parentheses;
mod reserved_words;
pub(in crate::funnel) mod spaced_names;
mod stage;
mod string_alias;
mod subquery_alias;

use crate::funnel::{Answer, Class, Scene};
use crate::limits;
use crate::sql::edit::Edit;

use self::known::Known;
use self::stage::Stage;

/// A mistake, mended.
#[derive(Clone)]
pub(in crate::funnel) struct Mend {
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
    characters::mend,
    apostrophes::mend,
    escapes::mend,
    backticks::mend,
    brackets::mend,
    operators::mend,
    limit_pair::mend,
    string_alias::mend,
    intervals::mend,
    commas::mend,
    spaced_names::mend,
    reserved_words::mend,
    keywords::mend,
    parentheses::mend,
];

/// Mends what can be mended of a text that the grammar or the server does not take.
pub(in crate::funnel) fn recover(scene: &Scene<'_>) -> Answer {
    let known = Known::of(scene);
    let mut stage = Stage::new(scene.text);
    if scene.failure.class != Class::SyntaxError {
        return accidents::look(scene, &stage, &known);
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
    if parses && let Some(mend) = subquery_alias::mend(&stage, &known) {
        take(&mut stage, mend);
    }
    let edits = stage.edits();
    if parses && !edits.is_empty() {
        return Answer::exact(edits, changes.join("; "));
    }
    advice::of(scene).map_or(Answer::Silent, Answer::hint)
}

/// Writes the signs of word processors as those of SQL, in a text that parses as it is.
pub(in crate::funnel) fn straighten(scene: &Scene<'_>) -> Option<Answer> {
    let known = Known::of(scene);
    let mut stage = Stage::new(scene.text);
    let mend = characters::mend(&stage, &known)?;
    let change = mend.change.clone();
    let fits = stage.apply(mend.edits) && stage.parse().is_some();
    fits.then(|| Answer::exact(stage.edits(), change))
}

/// Whether a letter is one that word processors put in the place of a sign of SQL.
pub(in crate::funnel) fn is_typographic(letter: char) -> bool {
    characters::straight(letter).is_some()
}

/// One edit.
fn edit(span: std::ops::Range<usize>, replacement: impl Into<String>) -> Edit {
    Edit {
        span,
        replacement: replacement.into(),
    }
}

/// A mend of these edits, if there are any.
fn mended(edits: Vec<Edit>, change: &str) -> Option<Mend> {
    (!edits.is_empty()).then(|| Mend {
        edits,
        change: change.to_owned(),
    })
}
