//! What is known about a text that was judged.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::{
    BackendSignal, CursorStep, RecordedText, RewrittenText, RoleQuestion, Rule, SignalCall,
    StatementKind, StatementObjects, StatementShape, VerdictBasis,
};
use sql::fingerprint::Fingerprint;
use sql::tree::nodes;

/// What the session, the audit and the cache need to know of a text.
#[derive(Clone, Debug)]
pub struct Facts {
    /// What it is.
    pub kind: StatementKind,
    /// What may be recorded of it; none where nothing is recorded.
    pub fingerprint: Option<Fingerprint>,
    /// How many statements it holds.
    pub statements: u32,
    /// What the session looks like after it ran, in order.
    pub effects: Box<[SessionEffect]>,
    /// Whether the verdict depends on the text, the policy and the basis alone.
    pub cacheable: bool,
    /// What the verdict stands on.
    pub basis: VerdictBasis,
    /// How deep it looked.
    pub depth: VerdictDepth,
    /// Whether it will run, once somebody has looked. It is kept here because it stands on the same
    /// grounds.
    pub forecast: OnceLock<RunForecast>,
    /// Set where the text runs in the place of one that a client sent.
    pub stands_in: OnceLock<()>,
    /// The call that was taken out of the text which it stands for, for pgsieve to carry out when
    /// it runs.
    pub signal: OnceLock<Box<BackendSignal>>,
    /// The question that it is, where it is one for the kind of server and nothing else.
    pub asks_role: Option<RoleQuestion>,
    /// Whether it is the question for the receipt of the last statement, and nothing else.
    pub asks_receipt: bool,
    /// The PREPARE or DECLARE whose name it runs, where it is one EXECUTE or FETCH.
    pub source_text: Option<Arc<str>>,
    /// The rows at which the policy's own LIMIT cuts its result, if one was added to it.
    pub rows_max: OnceLock<u64>,
    /// The rules of the policy that would have refused it and are only observed, each once.
    pub observed: Box<[Rule]>,
    /// What runs in its place: the same text with the policy's models in it.
    pub rewritten: Option<Arc<RewrittenText>>,
    /// Whether it runs functions whose names are looked up, when they run, by the session's
    /// search_path: then a cursor of it is good only where it was opened.
    pub runs_by_path: bool,
    /// Whether it names a prepared statement that it runs: an EXECUTE, or the plan of one.
    pub runs_prepared: bool,
    /// What it names; none where nobody records that.
    pub named_objects: Option<Arc<StatementObjects>>,
    /// The text itself, for an audit that encrypts it; none everywhere else.
    pub text: Option<Arc<RecordedText>>,
    /// What the server's queryid of it follows from; none where nobody records that.
    pub shape: Option<StatementShape>,
    /// What it does to cursors of SQL, in order, where the policy bounds those WITH HOLD.
    pub cursor_steps: Box<[CursorStep]>,
    /// Which of its statements, from 0, the client has sent as LISTEN; none of them listens.
    pub listens: OnceLock<Box<[u32]>>,
}

/// Whether a text that may run is likely to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunForecast {
    /// Nothing speaks against it.
    Runs,
    /// Something in it means nothing to the server.
    MayFail,
}

/// How deep a verdict looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerdictDepth {
    /// Into what the names of the text stand for.
    Names,
    /// Into the tree alone: there was no snapshot of the database, and the policy does without.
    Tree,
    /// Into the tree, of which every name had to be a built-in: there was no snapshot of the
    /// database, and the policy wants one.
    BuiltIns,
}

/// What search_path is set to: schemas, "$user" as it is written.
pub type PathChange = AssignedValue<Box<[Box<str>]>>;

/// What a setting that models may read is set to: a text; none is that of a session that has it
/// not.
pub type SettingChange = AssignedValue<Option<Box<str>>>;

/// What something is set to.
#[derive(Clone, PartialEq, Eq)]
pub enum AssignedValue<T> {
    /// This.
    To(T),
    /// What the session started with.
    Default,
    /// Something that is not known here.
    Unknown,
    /// Whatever a function that the policy names may have set it to, if it has.
    Perhaps,
}

/// Which of the settings that models may read, those with a dot in their names, are changed.
#[derive(Clone, PartialEq, Eq)]
pub enum CustomSettings {
    /// The one of this name, in lower case.
    One(Box<str>),
    /// Each of them.
    All,
}

/// How long a setting holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SettingScope {
    /// Until it is set again; a rollback of the transaction undoes it.
    Session,
    /// Until the transaction ends (SET LOCAL).
    Transaction,
}

impl SettingScope {
    /// Of a SET or RESET.
    pub(super) fn of(set: &nodes::VariableSetStmt) -> Self {
        if set.is_local {
            Self::Transaction
        } else {
            Self::Session
        }
    }
}

/// Whether a statement that succeeds has made a change for certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Certainty {
    /// It has.
    Certain,
    /// It may have: a call that runs for each row, or for none.
    Possible,
}

/// A change to the session's own state, once the statement has succeeded.
#[derive(Clone)]
pub enum SessionEffect {
    /// PREPARE: the name now stands for a statement.
    Prepare {
        /// The name.
        name: Box<str>,
        /// What it stands for.
        inner: Arc<Facts>,
        /// The PREPARE.
        text: Arc<str>,
    },
    /// DEALLOCATE of one name.
    Deallocate {
        /// The name.
        name: Box<str>,
    },
    /// DEALLOCATE ALL.
    DeallocateAll,
    /// DECLARE: the name now stands for a cursor, which a protocol Execute can use as a portal.
    DeclareCursor {
        /// The name.
        name: Box<str>,
        /// Whether it outlives the transaction.
        hold: bool,
        /// What it runs.
        inner: Arc<Facts>,
        /// The DECLARE.
        text: Arc<str>,
    },
    /// CLOSE of one cursor.
    CloseCursor {
        /// The name.
        name: Box<str>,
    },
    /// CLOSE ALL.
    CloseAllCursors,
    /// DISCARD ALL: no names, settings as the session started.
    DiscardAll,
    /// A setting may have changed: SET, RESET, set_config.
    SettingsTouched,
    /// search_path is another one. [`SessionEffect::SettingsTouched`] or
    /// [`SessionEffect::DiscardAll`] stands before it.
    SearchPathSet {
        /// What it is set to.
        path: PathChange,
        /// For how long.
        scope: SettingScope,
        /// Whether the statement has set it once it succeeded.
        surety: Certainty,
    },
    /// Settings that models may read are others. [`SessionEffect::SettingsTouched`] or
    /// [`SessionEffect::DiscardAll`] stands before it.
    SettingSet {
        /// Which.
        settings: CustomSettings,
        /// What they are set to.
        value: SettingChange,
        /// For how long.
        scope: SettingScope,
        /// Whether the statement has set them once it succeeded.
        surety: Certainty,
    },
}

impl Facts {
    /// Whether the verdict is good on this basis too. One that depends on the session's names
    /// (EXECUTE, FETCH) is good for one moment only.
    pub fn holds_on(&self, basis: VerdictBasis) -> bool {
        self.cacheable && self.basis == basis
    }

    /// Whether the session is as at its beginning once the statement has succeeded.
    pub fn discards_all(&self) -> bool {
        let mut effects = self.effects.iter();
        effects.any(|effect| matches!(effect, SessionEffect::DiscardAll))
    }

    /// Whether it shows the plan of a statement with models, or masks, in it.
    pub fn is_plan_of_models(&self) -> bool {
        self.kind == StatementKind::Explain && self.rewritten.is_some()
    }

    /// The same of a portal in which a call has its numbers.
    pub fn with_call(&self, call: SignalCall) -> Self {
        Self {
            signal: OnceLock::from(Box::new(BackendSignal::from(call))),
            ..self.clone()
        }
    }

    /// Of a text that was refused, or that pgsieve asks by itself: nothing that would change a
    /// session.
    pub(super) fn bare(
        kind: StatementKind,
        fingerprint: Option<Fingerprint>,
        statements: u32,
        basis: VerdictBasis,
        depth: VerdictDepth,
    ) -> Self {
        Self {
            kind,
            fingerprint,
            statements,
            effects: Box::default(),
            cacheable: false,
            basis,
            depth,
            forecast: OnceLock::new(),
            stands_in: OnceLock::new(),
            signal: OnceLock::new(),
            asks_role: None,
            asks_receipt: false,
            source_text: None,
            rows_max: OnceLock::new(),
            observed: Box::default(),
            rewritten: None,
            runs_by_path: false,
            runs_prepared: false,
            named_objects: None,
            text: None,
            shape: None,
            cursor_steps: Box::default(),
            listens: OnceLock::new(),
        }
    }
}

impl fmt::Debug for SessionEffect {
    /// Without the names that clients choose.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Prepare { .. } => "Prepare",
            Self::Deallocate { .. } => "Deallocate",
            Self::DeallocateAll => "DeallocateAll",
            Self::DeclareCursor { .. } => "DeclareCursor",
            Self::CloseCursor { .. } => "CloseCursor",
            Self::CloseAllCursors => "CloseAllCursors",
            Self::DiscardAll => "DiscardAll",
            Self::SettingsTouched => "SettingsTouched",
            Self::SearchPathSet { .. } => "SearchPathSet",
            Self::SettingSet { .. } => "SettingSet",
        })
    }
}

impl<T> fmt::Debug for AssignedValue<T> {
    /// Without names and values.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::To(_) => "To(…)",
            Self::Default => "Default",
            Self::Unknown => "Unknown",
            Self::Perhaps => "Perhaps",
        })
    }
}
