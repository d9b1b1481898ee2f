//! One text while it is judged, and what was learned of it so far. (What a session's names and
//! settings mean is in `session::context`.)

use std::ops::Range;
use std::sync::Arc;

use super::basis::SnapshotState;
use super::effects::SuspectName;
use super::effects::graph::EffectGraph;
use super::named_objects::NameCollector;
use super::recognized::single_call::SingleCall;
use super::rewritten::TextRewrite;
use super::rules::RuleResult;
use super::settings::tracked::TrackedState;
use super::settings::transaction_end::SearchPathChanges;
use super::{
    BackendSignal, Certainty, CursorStep, Facts, Judgement, ParameterTypes, PathChange,
    RecordedText, Refusal, RoleQuestion, Rule, SearchPaths, SessionEffect, SessionNames,
    StatementKind, StatementShape, Verdict, VerdictBasis, VerdictDepth,
};
use policy::{CatalogNeed, PlainChoice, Policy, PolicyRule, RuleMode, SessionValue};
use resolve::BodyArguments;
use sql::edit::TextEdit;
use sql::fingerprint::Fingerprint;

/// One text before the gate. Rules read it and leave notes in it.
pub struct JudgeContext<'j> {
    pub(super) text: &'j str,
    pub(super) policy: &'j Policy,
    pub(super) fingerprint: Option<Fingerprint>,
    /// The client's text, where that is recorded.
    pub(super) recorded: Option<Arc<RecordedText>>,
    /// What its queryid follows from, where that is recorded.
    pub(super) shape: Option<StatementShape>,
    /// How many statements were counted.
    pub(super) statements: u32,
    /// Which one is at hand, from 0.
    pub(super) index: u32,
    /// Those that are LISTEN, and run as UNLISTEN.
    pub(super) listens: Vec<u32>,
    /// Where the statement at hand stands in the text.
    pub(super) statement: Range<usize>,
    /// What the statements passed so far change in the session, in order.
    pub(super) effects: Vec<SessionEffect>,
    /// Values to lower.
    pub(super) edits: Vec<TextEdit>,
    /// What to tell the client about them.
    pub(super) notice: String,
    /// Whether a call in the statement at hand runs, once and for certain.
    pub(super) calls_run: Certainty,
    /// Whether the text is one that another one executes or fetches from.
    pub(super) text_origin: TextOrigin,
    /// The first name of the statement at hand that some object hides an effect under.
    pub(super) suspect_name: Option<SuspectName>,
    /// Whether the statement at hand is a call that passes in no other place.
    pub(super) single_call: SingleCall,
    /// The question that the text is, where it is one for the kind of server.
    pub(super) asks_role: Option<RoleQuestion>,
    /// Whether the text is the question for a receipt.
    pub(super) asks_receipt: bool,
    /// Whether what is put into the text is a question that pgsieve answers: nothing is lowered.
    pub(super) is_own_question: bool,
    /// The PREPARE or DECLARE whose name an EXECUTE or FETCH runs, where that is all there is.
    pub(super) source_text: Option<Arc<str>>,
    /// The call that was taken out of the text.
    pub(super) signal: Option<Box<BackendSignal>>,
    /// Whether a name of the statement at hand may stand for something that runs a function whose
    /// names are looked up by the session's search_path.
    pub(super) names_path_dependent: bool,
    /// Whether some statement of the text runs such a function.
    pub(super) runs_by_path: bool,
    /// Whether some statement of the text runs a prepared one by its name.
    pub(super) runs_prepared: bool,
    /// Where calls stand that run literals which were judged, in bytes.
    pub(super) literals_judged: Vec<usize>,
    /// What calls of the statement at hand set search_path to, while others of it run.
    pub(super) within: Vec<PathChange>,
    /// The arguments of the function whose body the text is.
    pub(super) arguments: Option<&'j BodyArguments<'j>>,
    /// The types of the parameters.
    pub(super) parameters: ParameterTypes,
    /// Parts of the text that the gate put there itself, in bytes: what is read there is for the
    /// policy that wrote them to say.
    pub(super) trusted: Vec<Range<usize>>,
    /// What the text names, where somebody records that.
    pub(super) name_collector: Option<NameCollector>,
    /// Rules of the policy that would have refused and are only observed.
    pub(super) observed: Vec<Rule>,
    /// The text as it came, and what was put into it, where that is another text.
    pub(super) rewrite: Option<TextRewrite<'j>>,
    /// What the statements so far do to cursors, where somebody counts their rows.
    pub(super) cursor_steps: Vec<CursorStep>,
    /// A snapshot that no session has yet.
    pub(super) newer_effect_graph: Option<&'j EffectGraph>,
    names: &'j SessionNames,
    /// Where names are looked up, where that is not what the session said any more.
    paths_so_far: Option<SearchPaths>,
    /// Where they will be looked up when the statement at hand is done.
    pub(super) paths_afterwards: Option<SearchPaths>,
    /// What the statements so far have done to that.
    pub(super) path_changes: SearchPathChanges,
    /// Whether settings that models may read are what the session said.
    pub(super) settings: TrackedState,
    /// The same when the statement at hand is done.
    pub(super) settings_afterwards: TrackedState,
    cacheable: bool,
}

/// How much was noted when an inner statement began.
pub struct NotesMark {
    effects: usize,
    paths_afterwards: Option<SearchPaths>,
    path_changes: SearchPathChanges,
    settings_afterwards: TrackedState,
}

/// Whose text is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOrigin {
    /// The client's.
    Own,
    /// That of a prepared statement or cursor, because the client's runs it.
    Run,
    /// That of a function's body.
    Body,
    /// That of a literal of the client's, which a function runs.
    Literal,
}

impl<'j> JudgeContext<'j> {
    pub(super) fn new(
        text: &'j str,
        policy: &'j Policy,
        names: &'j SessionNames,
        fingerprint: Option<Fingerprint>,
    ) -> Self {
        Self {
            text,
            policy,
            fingerprint,
            recorded: None,
            shape: None,
            statements: 0,
            index: 0,
            listens: Vec::new(),
            statement: 0..text.len(),
            effects: Vec::new(),
            edits: Vec::new(),
            notice: String::new(),
            calls_run: Certainty::Possible,
            text_origin: TextOrigin::Own,
            suspect_name: None,
            single_call: SingleCall::None,
            signal: None,
            asks_role: None,
            asks_receipt: false,
            is_own_question: false,
            source_text: None,
            names_path_dependent: false,
            runs_by_path: false,
            runs_prepared: false,
            literals_judged: Vec::new(),
            within: Vec::new(),
            arguments: None,
            parameters: ParameterTypes::Unknown,
            trusted: Vec::new(),
            name_collector: None,
            observed: Vec::new(),
            rewrite: None,
            cursor_steps: Vec::new(),
            newer_effect_graph: None,
            names,
            paths_so_far: None,
            paths_afterwards: None,
            path_changes: SearchPathChanges::default(),
            settings: TrackedState::AsStated,
            settings_afterwards: TrackedState::AsStated,
            cacheable: true,
        }
    }

    /// The same of another text.
    pub(super) fn of<'i>(&self, text: &'i str) -> JudgeContext<'i>
    where
        'j: 'i,
    {
        JudgeContext {
            statements: self.statements,
            text_origin: self.text_origin,
            parameters: self.parameters.clone(),
            observed: self.observed.clone(),
            recorded: self.recorded.clone(),
            shape: self.shape,
            name_collector: self.name_collector.clone(),
            newer_effect_graph: self.newer_effect_graph,
            paths_so_far: self.paths_so_far.clone(),
            path_changes: self.path_changes.clone(),
            settings: self.settings,
            settings_afterwards: self.settings_afterwards,
            cacheable: self.cacheable,
            ..JudgeContext::new(text, self.policy, self.names, self.fingerprint)
        }
    }

    /// Takes over what was learned of a text that stands for the statement at hand.
    pub(super) fn adopt(&mut self, mut other: JudgeContext<'_>) {
        self.observed = std::mem::take(&mut other.observed);
        self.name_collector = other.name_collector.take();
        self.effects.append(&mut other.effects);
        let paths_afterwards = other.paths_afterwards.take();
        self.paths_afterwards = paths_afterwards.or_else(|| self.paths_afterwards.take());
        self.path_changes = std::mem::take(&mut other.path_changes);
        self.settings_afterwards = other.settings_afterwards;
        self.runs_by_path |= other.runs_by_path;
        self.runs_prepared |= other.runs_prepared;
        self.cacheable &= other.cacheable;
    }

    /// A value of the session that models read, where it is known for certain. All are a part of
    /// the cache's key, but for those behind the end of a transaction.
    pub(super) fn value(
        &self,
        value: &SessionValue,
        told: TrackedState,
    ) -> Option<Option<&'j str>> {
        match (value, told) {
            (SessionValue::Setting(_), TrackedState::Changed) => None,
            (SessionValue::Setting(_), TrackedState::AfterTransaction) => {
                self.names.values_at_end()?.get(value)
            }
            _ => self.names.values().get(value),
        }
    }

    /// A text that another one runs, judged on its own, where names are looked up in `paths`.
    pub(super) fn run(&self, text: &'j str, paths: Option<SearchPaths>) -> Self {
        Self {
            text_origin: TextOrigin::Run,
            paths_so_far: paths.or_else(|| self.paths_so_far.clone()),
            settings: self.settings,
            settings_afterwards: self.settings,
            ..Self::new(text, self.policy, self.names, None)
        }
    }

    /// The body of a function, judged as if a client had sent it, where names are looked up in
    /// `paths`.
    pub(super) fn body<'i>(
        &self,
        text: &'i str,
        arguments: &'i BodyArguments<'i>,
        paths: SearchPaths,
    ) -> JudgeContext<'i>
    where
        'j: 'i,
    {
        JudgeContext {
            text_origin: TextOrigin::Body,
            arguments: Some(arguments),
            newer_effect_graph: self.newer_effect_graph,
            paths_so_far: Some(paths),
            settings: self.settings,
            settings_afterwards: self.settings,
            ..JudgeContext::new(text, self.policy, self.names, None)
        }
    }

    /// A literal that the statement at hand runs, judged as if a client had sent it.
    pub(super) fn literal<'i>(&self, text: &'i str) -> JudgeContext<'i>
    where
        'j: 'i,
    {
        JudgeContext {
            text_origin: TextOrigin::Literal,
            newer_effect_graph: self.newer_effect_graph,
            paths_so_far: self.paths_so_far.clone(),
            settings: self.settings,
            settings_afterwards: self.settings,
            name_collector: self.name_collector.as_ref().map(NameCollector::restarted),
            ..JudgeContext::new(text, self.policy, self.names, None)
        }
    }

    /// Takes over what was learned of a literal that the statement at hand runs.
    pub(super) fn take_over_literal(&mut self, literal: &JudgeContext<'_>) {
        self.observe(&literal.observed);
        if let (Some(met), Some(inner)) = (&mut self.name_collector, &literal.name_collector) {
            met.take_over(&inner.named_objects());
        }
        self.cacheable &= literal.cacheable;
    }

    /// The names of the session. A verdict that looked at them is good for this session, now.
    pub(super) fn names(&mut self) -> &'j SessionNames {
        self.cacheable = false;
        self.names
    }

    /// The major version of the upstream, where it is known. It is a part of the cache's key.
    pub(super) fn server_major(&self) -> Option<u16> {
        self.names.server_major()
    }

    /// The text of the statement at hand, as it came.
    pub(super) fn statement_text(&self) -> Arc<str> {
        let original = self.original();
        original
            .get(self.in_original(&self.statement))
            .unwrap_or(original)
            .into()
    }

    /// What the snapshot of the database shows. It is a part of the cache's key, as the next two
    /// are.
    pub(super) fn effect_graph(&self) -> Option<&'j EffectGraph> {
        self.newer_effect_graph
            .or_else(|| self.names.effect_graph().map(AsRef::as_ref))
    }

    /// How deep this verdict looks.
    pub(super) fn depth(&self) -> VerdictDepth {
        match (self.names.basis().database, self.policy.catalog()) {
            _ if self.newer_effect_graph.is_some() => VerdictDepth::Names,
            (SnapshotState::Seen(_), _) if self.effect_graph().is_some() => VerdictDepth::Names,
            (SnapshotState::Absent, _) | (SnapshotState::Unseen, CatalogNeed::Preferred) => {
                VerdictDepth::Tree
            }
            // A snapshot that is known but not at hand is none.
            (SnapshotState::Seen(_), _) | (SnapshotState::Unseen, CatalogNeed::Required) => {
                VerdictDepth::BuiltIns
            }
        }
    }

    /// Whether the statement at hand exports its snapshot, as the policy lets it.
    pub(super) fn exports_snapshot(&self) -> bool {
        self.single_call == SingleCall::Export
            && self.policy.statements().snapshots == PlainChoice::Allow
    }

    /// As whom the upstream session runs.
    pub(super) fn role(&self) -> &'j str {
        self.names.role()
    }

    /// Where names are looked up.
    pub(super) fn paths(&self) -> &SearchPaths {
        self.paths_so_far
            .as_ref()
            .unwrap_or_else(|| self.names.paths())
    }

    /// Whether that is not what the session said any more.
    pub(super) fn has_moved(&self) -> bool {
        self.paths_so_far.is_some()
    }

    /// The basis that the session stated.
    pub(super) fn basis(&self) -> VerdictBasis {
        self.names.basis()
    }

    /// Whether a verdict of before is good now.
    pub(super) fn is_still_valid(&self, facts: &Facts) -> bool {
        self.is_as_stated() && facts.holds_on(self.names.basis())
    }

    /// Whether paths and settings are what the session said.
    fn is_as_stated(&self) -> bool {
        self.paths_so_far.is_none() && self.settings == TrackedState::AsStated
    }

    /// Where the notes of an inner statement begin.
    pub(super) fn mark(&self) -> NotesMark {
        NotesMark {
            effects: self.effects.len(),
            paths_afterwards: self.paths_afterwards.clone(),
            path_changes: self.path_changes.clone(),
            settings_afterwards: self.settings_afterwards,
        }
    }

    /// Takes back what was noted since: the statement is not run. Its effects are returned.
    pub(super) fn take_back(&mut self, mark: NotesMark) -> Vec<SessionEffect> {
        self.paths_afterwards = mark.paths_afterwards;
        self.path_changes = mark.path_changes;
        self.settings_afterwards = mark.settings_afterwards;
        self.effects.split_off(mark.effects.min(self.effects.len()))
    }

    /// What search_path may be once the transaction at hand is over, as the session said: no part
    /// of the cache's key. Where a statement ends it, others behind it, the verdict is not kept.
    pub(super) fn paths_at_end(&self) -> &'j SearchPaths {
        self.names.paths_at_end()
    }

    /// The verdict is good for this moment only.
    pub(super) fn forget_verdict(&mut self) {
        self.cacheable = false;
    }

    /// The statement at hand is done.
    pub(super) fn end_statement(&mut self) {
        if self.paths_afterwards.is_some() {
            self.paths_so_far = self.paths_afterwards.take();
        }
        self.settings = self.settings_afterwards;
        self.within.clear();
    }

    /// Whether a use at a place of the text is one that the gate put there itself.
    pub(super) fn trusts(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| self.trusted.iter().any(|span| span.contains(&at)))
    }

    /// Whether names are looked up for the record.
    pub(super) fn records_names(&self) -> bool {
        self.name_collector
            .as_ref()
            .is_some_and(|met| !met.knows_all())
    }

    /// What a rule of the policy says: it refuses, or where the policy only observes it, that is
    /// noted and the statement goes on.
    pub(super) fn enforce_or_observe(
        &mut self,
        rule: PolicyRule,
        refused: Box<Refusal>,
    ) -> RuleResult {
        match self.policy.mode_of(rule) {
            RuleMode::Enforce => Err(refused),
            RuleMode::Observe => {
                self.observe(&[refused.rule]);
                Ok(())
            }
        }
    }

    /// Takes over which rules another statement was observed by, which this one runs.
    pub(super) fn observe(&mut self, rules: &[Rule]) {
        for rule in rules {
            if !self.observed.contains(rule) {
                self.observed.push(*rule);
            }
        }
    }

    /// The end of a text that was refused.
    pub(super) fn refused<'t>(
        &self,
        mut refusal: Box<Refusal>,
        kind: StatementKind,
    ) -> Judgement<'t> {
        refusal.sqlstate = self.policy.sqlstate_of(refusal.sqlstate);
        let facts = Facts::bare(
            kind,
            self.fingerprint,
            self.statements,
            self.names.basis(),
            self.depth(),
        );
        let facts = Facts {
            named_objects: self
                .name_collector
                .as_ref()
                .map(NameCollector::named_objects),
            text: self.recorded.clone(),
            ..facts
        };
        Judgement {
            verdict: Verdict::Refused(refusal),
            facts: Arc::new(facts),
        }
    }

    /// What is known of the whole text, at the end.
    pub(super) fn into_facts(self, kind: StatementKind) -> Facts {
        let (basis, depth) = (self.names.basis(), self.depth());
        let rewritten = self.rewritten_text();
        let bare = Facts::bare(kind, self.fingerprint, self.statements, basis, depth);
        Facts {
            effects: self.effects.into_boxed_slice(),
            cacheable: self.cacheable,
            asks_role: self.asks_role,
            asks_receipt: self.asks_receipt,
            source_text: self.source_text.filter(|_| self.statements == 1),
            observed: self.observed.clone().into_boxed_slice(),
            rewritten,
            runs_by_path: self.runs_by_path,
            runs_prepared: self.runs_prepared,
            named_objects: self
                .name_collector
                .as_ref()
                .map(NameCollector::named_objects),
            text: self.recorded.clone(),
            shape: self
                .shape
                .filter(|_| kind.is_plain_query() && self.statements == 1),
            cursor_steps: self.cursor_steps.into_boxed_slice(),
            ..bare
        }
    }

    /// What is known of a statement inside another one, which began at `mark` and is not run yet.
    pub(super) fn inner_facts(&mut self, kind: StatementKind, mark: NotesMark) -> Facts {
        let (basis, depth) = (self.names.basis(), self.depth());
        Facts {
            effects: self.take_back(mark).into_boxed_slice(),
            // Behind a change of search_path in the same text it was judged on a basis that the
            // session did not state: it is judged again when it runs.
            cacheable: self.is_as_stated(),
            observed: self.observed.clone().into_boxed_slice(),
            // Several statements have one text together: none of them has a model and is kept.
            rewritten: self.rewritten_text().filter(|_| self.statements <= 1),
            runs_by_path: self.runs_by_path,
            named_objects: self
                .name_collector
                .as_ref()
                .map(NameCollector::named_objects),
            text: self.recorded.clone(),
            ..Facts::bare(kind, self.fingerprint, 1, basis, depth)
        }
    }
}
