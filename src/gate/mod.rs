//! May this text run, for this user, under this policy. The only maker of a [`ReadPermit`].
//!
//! The path of a judgement, top to bottom:
//!
//! 1. the linear pre-scan bounds what the parser is given ([`rules::too_long`],
//!    [`rules::too_complex`]);
//! 2. Postgres's own grammar parses it ([`rules::syntax_error`]): what it does not accept never
//!    runs;
//! 3. a fingerprint is taken where statements are recorded: it is all that ever is of the text,
//!    but where an audit encrypts texts;
//! 4. a message of several statements must be one that the policy carries
//!    ([`rules::several_statements`]);
//! 5. a text that names metrics is a [`ClampedText`]: the same with what they stand for
//!    ([`metrics`]), which comes back here as a new text. The policy's models are put where their
//!    names stand ([`models::substitution`]); from here on it is the changed text that is judged,
//!    and that runs;
//! 6. each statement is judged by its kind, which is a closed list, and every node under it is
//!    looked at ([`walk`]); a node that is not known is refused ([`rules::node_unknown`]);
//! 7. what no rule refused becomes a [`ReadPermit`], or a [`ClampedText`]: the same text with a
//!    value lowered, which comes back here as a new text.
//!
//! What the tree does not show (views, casts and operators that call functions, `t.f` notation,
//! types with checks) is seen where a snapshot of the database is at hand ([`effects`],
//! [`effects::graph`]); functions whose names are looked up when they run, under the path that they
//! run under ([`function_bodies`]). Without one, the policy says whether the tree is enough
//! ([`rules::catalog_missing`]). Nothing here touches a socket, a clock or the database.

mod access;
mod basis;
mod builtin_names;
pub mod cache;
mod catalog_view;
mod command_label;
mod context;
pub mod effects;
pub mod extensions;
mod facts;
mod function_bodies;
pub mod functions;
mod judge;
pub mod lazy_map;
mod metrics;
mod models;
mod named_objects;
mod noted_effects;
mod parameter_types;
mod permit;
mod plan_question;
mod prepared;
mod protocol_refusal;
mod queryid;
pub mod recognized;
mod rewritten;
pub mod rules;
mod settings;
mod sql_literal;
mod startup;
mod statement_kind;
mod verdict;
mod walk;

use std::borrow::Cow;
use std::sync::Arc;

pub use self::basis::{SearchPaths, VerdictBasis};
pub use self::cache::JudgementCache;
pub use self::facts::{
    AssignedValue, Certainty, CustomSettings, Facts, PathChange, RunForecast, SessionEffect,
    SettingChange, SettingScope, VerdictDepth,
};
pub use self::named_objects::{RecordedText, RenderedNames, StatementObjects};
pub use self::parameter_types::ParameterTypes;
pub use self::permit::{ReadPermit, WaitingPermit};
pub use self::plan_question::{PlanBound, PlanCheck, PlanInquiry, QUESTION_NAME};
pub use self::prepared::cursor_steps::{CursorAction, CursorMovement, CursorStep};
pub use self::prepared::duplicate_names::OlderBasis;
pub use self::prepared::statement_digests::{KeptDescriptions, PortalDigests, StatementDigests};
pub use self::prepared::{
    Cursor, OWN_NAME_PREFIX, PreparedStatement, SessionNames, is_own_name, truncated_name,
};
pub use self::queryid::StatementShape;
#[cfg(any(test, feature = "fixture"))]
pub use self::queryid::shape_of_a_test;
pub use self::recognized::backend_signal::{
    BackendSignal, SignalArgument, SignalCall, SignalKind, number_of,
};
pub use self::recognized::role_question::RoleQuestion;
pub use self::rewritten::offsets::OffsetMap;
pub use self::rewritten::text::{CopiedConstant, InsertedSpan, RewrittenText};
pub use self::settings::session_values::SessionValues;
pub use self::settings::tracked::STATEMENT_TIMEOUT;
pub use self::startup::{ClaimedIdentity, StartupPlan};
pub use self::verdict::{ClampedText, Judgement, Refusal, Verdict};
pub use ground::rule::Rule;
pub use ground::statement_kind::StatementKind;

use self::context::JudgeContext;
use ground::limits;
use policy::Policy;
use sql::edit;
use sql::fingerprint::Fingerprinter;
use sql::{prescan, string_continuation, tree};

/// Judges texts under one policy. It holds no state: the same text and names get the same verdict.
pub struct Gate {
    policy: Arc<Policy>,
    fingerprinter: Option<Fingerprinter>,
    names: NameRecording,
    texts: Texts,
    shapes: Shapes,
    judging: Judging,
}

/// Which texts are judged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Judging {
    /// One of those that differ in constants alone whose values nothing reads.
    #[default]
    ByShape,
    /// Each.
    EachText,
}

impl Judging {
    /// As settings name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::ByShape => "by-shape",
            Self::EachText => "each-text",
        }
    }
}

/// Whether it is recorded what statements name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum NameRecording {
    #[default]
    Off,
    WithoutColumns,
    /// Columns among them.
    WithColumns,
}

/// Whether texts are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texts {
    Forgotten,
    Recorded,
}

/// Whether it is recorded what a queryid follows from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shapes {
    Forgotten,
    Recorded,
}

impl Gate {
    /// A gate for a policy.
    pub fn new(policy: Arc<Policy>, fingerprinter: Fingerprinter) -> Self {
        Self {
            policy,
            fingerprinter: Some(fingerprinter),
            names: NameRecording::Off,
            texts: Texts::Forgotten,
            shapes: Shapes::Forgotten,
            judging: Judging::ByShape,
        }
    }

    /// The same gate where no statement is recorded: it does not take the fingerprints that nobody
    /// would see.
    pub fn without_fingerprints(policy: Arc<Policy>) -> Self {
        Self {
            policy,
            fingerprinter: None,
            names: NameRecording::Off,
            texts: Texts::Forgotten,
            shapes: Shapes::Forgotten,
            judging: Judging::ByShape,
        }
    }

    /// The same gate, which judges these texts.
    pub fn judging(mut self, judging: Judging) -> Self {
        self.judging = judging;
        self
    }

    /// The same gate where what statements name is recorded ([`Facts::named_objects`]).
    pub fn recording_names(mut self) -> Self {
        self.names = NameRecording::WithoutColumns;
        self
    }

    /// The same gate where the columns are recorded as well that statements read.
    pub fn recording_columns(mut self) -> Self {
        self.names = NameRecording::WithColumns;
        self
    }

    /// The same gate where the texts themselves are recorded ([`Facts::text`]).
    pub fn recording_texts(mut self) -> Self {
        self.texts = Texts::Recorded;
        self
    }

    /// The same gate where it is recorded what the server's queryid follows from
    /// ([`Facts::shape`]).
    pub fn recording_shapes(mut self) -> Self {
        self.shapes = Shapes::Recorded;
        self
    }

    fn shape(
        &self,
        text: &str,
        parameters: &ParameterTypes,
        names: &SessionNames,
    ) -> Option<StatementShape> {
        let is_wanted = self.shapes == Shapes::Recorded;
        let stands_on = (self.policy.version_number(), names.basis(), parameters);
        is_wanted.then(|| StatementShape::of(text, stands_on))?
    }

    fn recorded(&self, text: &str) -> Option<Arc<RecordedText>> {
        (self.texts == Texts::Recorded).then(|| Arc::new(RecordedText::of(text)))
    }

    /// Whether a text may have the verdict on one that differs in such constants alone.
    fn judges_by_shape(&self) -> bool {
        self.judging == Judging::ByShape
    }

    /// Whether what statements name is recorded and nothing is decided by it.
    fn only_records_names(&self) -> bool {
        let policy = &self.policy;
        self.names != NameRecording::Off && !policy.hides() && !policy.denies_functions()
    }

    /// The policy that it judges by.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Judges a text: the statements of one Query message. `names` are the prepared statements and
    /// cursors of the session that sent it.
    pub fn judge<'t>(&self, text: Cow<'t, str>, names: &SessionNames) -> Judgement<'t> {
        self.judge_with(text, &ParameterTypes::none_given(), names)
    }

    /// Judges a text: the statement of one Parse message, which may give types to its parameters.
    /// Whether values of them may be made is for [`Gate::permits_parameters`] to say.
    pub fn judge_with<'t>(
        &self,
        text: Cow<'t, str>,
        parameters: &ParameterTypes,
        names: &SessionNames,
    ) -> Judgement<'t> {
        self.judge_with_record(text, parameters, names, None)
    }

    /// The same, where it is known what is recorded of the text: that is put on record as it is.
    fn judge_with_record<'t>(
        &self,
        text: Cow<'t, str>,
        parameters: &ParameterTypes,
        names: &SessionNames,
        recorded: Option<cache::text_shapes::ShapeRecord>,
    ) -> Judgement<'t> {
        let (text, parsed) = parse_continued(text, &self.policy);
        let tree = match parsed {
            Ok(tree) => tree,
            Err(refusal) => {
                let maker = self.fingerprinter.as_ref();
                let fingerprint = maker.map(|maker| maker.of_unparsed(&text));
                let mut context = JudgeContext::new(&text, &self.policy, names, fingerprint);
                context.recorded = self.recorded(&text);
                return context.refused(refusal, StatementKind::Unparsed);
            }
        };
        let kind = statement_kind::of_message(&tree);
        let (named, known) = recorded.map(|it| (it.named, it.fingerprint)).unzip();
        let named = named.flatten();
        let maker = self.fingerprinter.as_ref();
        let fingerprint = maker.map(|maker| known.flatten().unwrap_or_else(|| maker.of(&text)));
        let mut context = JudgeContext::new(&text, &self.policy, names, fingerprint);
        context.recorded = self.recorded(&text);
        context.shape = self.shape(&text, parameters, names);
        context.parameters = parameters.clone();
        context.name_collector = match self.names {
            NameRecording::Off => None,
            NameRecording::WithoutColumns => Some(named_objects::NameCollector::with_known(named)),
            NameRecording::WithColumns => {
                Some(named_objects::NameCollector::with_known(named).with_columns())
            }
        };
        match metrics::expanded(&tree, &mut context).and_then(|found| self.readable(found, names)) {
            Ok(None) => {}
            Ok(Some(clamp)) => {
                return Judgement {
                    verdict: Verdict::Clamped(clamp),
                    facts: Arc::new(context.into_facts(kind)),
                };
            }
            Err(refused) => return context.refused(refused, kind),
        }
        let judged = match models::substitution::of(&tree, &mut context) {
            Ok(None) => judged(&tree, kind, context),
            Ok(Some(rewritten)) => judged_with_models(&Arc::new(rewritten), kind, &context),
            // What the gate itself has against the text is told first.
            Err(refused) => match judged(&tree, kind, context.of(&text)) {
                Err(judgement) => Err(judgement),
                Ok(_) => Err(context.refused(refused, kind)),
            },
        };
        match judged {
            Err(judgement) => judgement,
            Ok((facts, Some(clamp))) => Judgement {
                verdict: Verdict::Clamped(clamp),
                facts,
            },
            Ok((facts, None)) => {
                let permit = ReadPermit::issue(text, Arc::clone(&facts));
                Judgement {
                    verdict: Verdict::Permitted(permit),
                    facts,
                }
            }
        }
    }

    /// A text with metrics in it, where each may be computed: what is said of one that may not
    /// would name what it is computed of.
    fn readable(
        &self,
        expanded: Option<metrics::ExpandedText>,
        names: &SessionNames,
    ) -> Result<Option<ClampedText>, Box<Refusal>> {
        let Some(metrics::ExpandedText { clamp, bodies }) = expanded else {
            return Ok(None);
        };
        for (name, body) in bodies {
            if let Verdict::Refused(_) = self.judge(Cow::Owned(body), names).verdict {
                return Err(rules::model::metric_unusable(&name.schema, &name.name));
            }
        }
        Ok(Some(clamp))
    }

    /// Judges once more a statement that was permitted on another basis ([`Facts::holds_on`]) and
    /// is about to run: a Bind of a prepared statement. With its models it has to be the text that
    /// the server has.
    ///
    /// # Errors
    /// It would be refused now, or its models are another text than the one that was prepared.
    pub fn still_permits(
        &self,
        prepared: &PreparedStatement,
        names: &SessionNames,
    ) -> Result<(), Box<Refusal>> {
        let tree = parse(&prepared.text, &self.policy)?;
        let mut context = JudgeContext::new(&prepared.text, &self.policy, names, None);
        context.parameters = prepared.parameters.clone();
        cache::rejudge::check_client_text(&tree, prepared.facts.rewritten.as_deref(), &mut context)
    }

    /// Judges the types that a Parse message gives its parameters, by the server's numbers: a Bind
    /// makes values of them, whatever the text says.
    ///
    /// # Errors
    /// A type of them runs more than a read where a value of it is made.
    pub fn permits_parameters(
        &self,
        types: impl IntoIterator<Item = u32>,
        names: &SessionNames,
    ) -> Result<(), Box<Refusal>> {
        let context = JudgeContext::new("", &self.policy, names, None);
        effects::parameters::check_parameters(types, &context)
    }

    /// Judges once more a portal or cursor that is about to run, or to run on: an Execute. It
    /// judges only where it has to.
    ///
    /// # Errors
    /// What it runs would be refused now.
    pub fn still_runs(&self, cursor: &Cursor, names: &SessionNames) -> Result<(), Box<Refusal>> {
        let context = JudgeContext::new(&cursor.text, &self.policy, names, None);
        prepared::execution::cursor(cursor, &context)
    }

    /// Judges the parameters of a StartupMessage, and plans the one that goes upstream.
    ///
    /// # Errors
    /// A parameter that is not carried, or no user is named.
    pub fn judge_startup(&self, parameters: &[(&str, &str)]) -> Result<StartupPlan, Box<Refusal>> {
        startup::judge(&self.policy, parameters)
    }
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Gate")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

fn parse(text: &str, policy: &Policy) -> Result<tree::SyntaxTree, Box<Refusal>> {
    prescan::prescan(text, policy.statement_bytes())
        .map_err(|error| rules::before_parsing(&error))?;
    tree::parse(text).map_err(|error| rules::syntax_error::refusal(text, &error))
}

/// Parses a text, without the comments in its strings where the grammar does not read those.
fn parse_continued<'t>(
    text: Cow<'t, str>,
    policy: &Policy,
) -> (Cow<'t, str>, Result<tree::SyntaxTree, Box<Refusal>>) {
    let parsed = parse(&text, policy);
    let is_unread = parsed
        .as_ref()
        .is_err_and(|refusal| refusal.rule == Rule::SyntaxError);
    let blanked = is_unread
        .then(|| string_continuation::without_comments(&text))
        .flatten();
    match blanked.map(|blanked| (parse(&blanked, policy), blanked)) {
        Some((Ok(tree), blanked)) => (Cow::Owned(blanked), Ok(tree)),
        Some((Err(_), _)) | None => (text, parsed),
    }
}

/// Parses a text with models in it. The words of an error would quote them.
fn parse_with_models(text: &str, policy: &Policy) -> Result<tree::SyntaxTree, Box<Refusal>> {
    let bytes_max = policy
        .statement_bytes()
        .saturating_add(limits::MODEL_BYTES_MAX);
    prescan::prescan(text, bytes_max).map_err(|error| rules::before_parsing(&error))?;
    tree::parse(text).map_err(|_| rules::model::unparsed())
}

/// What is known of a text that no rule refused, and the values to lower in it.
type JudgedText<'t> = Result<(Arc<Facts>, Option<ClampedText>), Judgement<'t>>;

fn judged<'t>(
    tree: &tree::SyntaxTree,
    kind: StatementKind,
    mut context: JudgeContext<'_>,
) -> JudgedText<'t> {
    context.asks_role = RoleQuestion::of(tree);
    context.asks_receipt = recognized::receipt_question::is_question(context.text);
    let heard = match recognized::backend_signal::take_out(tree, &mut context) {
        true => Ok(()),
        false => rules::engine_syntax::check_text(&context)
            .and_then(|()| judge::judge_message(tree, &mut context)),
    };
    let heard = heard.and_then(|()| clamp(&mut context));
    match heard {
        Err(mut refusal) => {
            refusal.position = context.position_in_original(refusal.position);
            Err(context.refused(refusal, kind))
        }
        Ok(clamp) => Ok((Arc::new(context.into_facts(kind)), clamp)),
    }
}

/// The whole of the changed text is judged, what was put in included.
fn judged_with_models<'t>(
    rewritten: &Arc<RewrittenText>,
    kind: StatementKind,
    context: &JudgeContext<'_>,
) -> JudgedText<'t> {
    let changed = context.with_models(rewritten);
    let tree = parse_with_models(&rewritten.text, context.policy)
        .and_then(|tree| models::substitution::check_none_left(&tree, &changed).map(|()| tree));
    match tree {
        Ok(tree) => judged(&tree, kind, changed),
        Err(refusal) => Err(context.refused(refusal, kind)),
    }
}

/// The text with the lowered values in it, if any value was lowered.
fn clamp(context: &mut JudgeContext<'_>) -> Result<Option<ClampedText>, Box<Refusal>> {
    if context.edits.is_empty() {
        return Ok(None);
    }
    let edits = std::mem::take(&mut context.edits);
    let in_original = |edit: edit::TextEdit| edit::TextEdit {
        span: context.in_original(&edit.span),
        ..edit
    };
    let edits: Vec<edit::TextEdit> = edits.into_iter().map(in_original).collect();
    let moved = OffsetMap::of(context.original(), &edits);
    let text =
        edit::apply(context.original(), edits).map_err(|_| rules::settings::not_lowerable())?;
    let notice = std::mem::take(&mut context.notice);
    Ok(Some(ClampedText {
        text,
        notice: (!notice.is_empty()).then_some(notice),
        offsets: moved,
        signal: context.signal.take(),
        listens: std::mem::take(&mut context.listens),
        is_lowered: !context.is_own_question,
    }))
}

#[cfg(test)]
mod tests;
