//! What is being judged, and what was learned so far.

use std::ops::Range;
use std::sync::Arc;

use super::basis::Database;
use super::effects::Suspicion;
use super::effects::graph::Sight;
use super::named_objects::Met;
use super::recognized::single_call::SingleCall;
use super::rewritten::Changed;
use super::rules::Found;
use super::settings::tracked::Told;
use super::settings::transaction_end::Done;
use super::{
    CursorStep, Depth, Effect, Facts, Grounds, Judgement, Parameters, PathChange, RecordedText,
    Refusal, RoleQuestion, Rule, SearchPaths, SessionNames, Signal, StatementKind, StatementShape,
    Surety, Verdict,
};
use crate::policy::{CatalogNeed, Choice, Mode, Policy, PolicyRule, SessionValue};
use crate::resolve::Arguments;
use crate::sql::edit::Edit;
use crate::sql::fingerprint::Fingerprint;

/// One text before the gate. Rules read it and leave notes in it.
pub struct Case<'j> {
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
    pub(super) effects: Vec<Effect>,
    /// Values to lower.
    pub(super) edits: Vec<Edit>,
    /// What to tell the client about them.
    pub(super) notice: String,
    /// Whether a call in the statement at hand runs, once and for certain.
    pub(super) calls_run: Surety,
    /// Whether the text is one that another one executes or fetches from.
    pub(super) nesting: Nesting,
    /// The first name of the statement at hand that some object hides an effect under.
    pub(super) suspicion: Option<Suspicion>,
    /// Whether the statement at hand is a call that passes in no other place.
    pub(super) single_call: SingleCall,
    /// The question that the text is, where it is one for the kind of server.
    pub(super) asks_role: Option<RoleQuestion>,
    /// The call that was taken out of the text.
    pub(super) signal: Option<Box<Signal>>,
    /// Whether a name of the statement at hand may stand for something that runs a function whose
    /// names are looked up by the session's search_path.
    pub(super) names_moving: bool,
    /// Whether some statement of the text runs such a function.
    pub(super) runs_by_path: bool,
    /// Where calls stand that run literals which were judged, in bytes.
    pub(super) literals_judged: Vec<usize>,
    /// What calls of the statement at hand set search_path to, while others of it run.
    pub(super) within: Vec<PathChange>,
    /// The arguments of the function whose body the text is.
    pub(super) arguments: Option<&'j Arguments<'j>>,
    /// The types of the parameters.
    pub(super) parameters: Parameters,
    /// Parts of the text that the gate put there itself, in bytes: what is read there is for the
    /// policy that wrote them to say.
    pub(super) trusted: Vec<Range<usize>>,
    /// What the text names, where somebody records that.
    pub(super) met: Option<Met>,
    /// Rules of the policy that would have refused and are only observed.
    pub(super) observed: Vec<Rule>,
    /// The text as it came, and what was put into it, where that is another text.
    pub(super) changed: Option<Changed<'j>>,
    /// What the statements so far do to cursors, where somebody counts their rows.
    pub(super) cursor_steps: Vec<CursorStep>,
    /// A snapshot that no session has yet.
    pub(super) at_hand: Option<&'j Sight>,
    names: &'j SessionNames,
    /// Where names are looked up, where that is not what the session said any more.
    moved: Option<SearchPaths>,
    /// Where they will be looked up when the statement at hand is done.
    pub(super) moving: Option<SearchPaths>,
    /// What the statements so far have done to that.
    pub(super) done: Done,
    /// Whether settings that models may read are what the session said.
    pub(super) settings: Told,
    /// The same when the statement at hand is done.
    pub(super) settings_then: Told,
    cacheable: bool,
}

/// How much was noted when an inner statement began.
pub struct Mark {
    effects: usize,
    moving: Option<SearchPaths>,
    done: Done,
    settings_then: Told,
}

/// Whose text is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nesting {
    /// The client's.
    Own,
    /// That of a prepared statement or cursor, because the client's runs it.
    Run,
    /// That of a function's body.
    Body,
    /// That of a literal of the client's, which a function runs.
    Literal,
}

impl<'j> Case<'j> {
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
            calls_run: Surety::Possible,
            nesting: Nesting::Own,
            suspicion: None,
            single_call: SingleCall::None,
            signal: None,
            asks_role: None,
            names_moving: false,
            runs_by_path: false,
            literals_judged: Vec::new(),
            within: Vec::new(),
            arguments: None,
            parameters: Parameters::Unknown,
            trusted: Vec::new(),
            met: None,
            observed: Vec::new(),
            changed: None,
            cursor_steps: Vec::new(),
            at_hand: None,
            names,
            moved: None,
            moving: None,
            done: Done::default(),
            settings: Told::Before,
            settings_then: Told::Before,
            cacheable: true,
        }
    }

    /// The same of another text.
    pub(super) fn of<'i>(&self, text: &'i str) -> Case<'i>
    where
        'j: 'i,
    {
        Case {
            statements: self.statements,
            nesting: self.nesting,
            parameters: self.parameters.clone(),
            observed: self.observed.clone(),
            recorded: self.recorded.clone(),
            shape: self.shape,
            met: self.met.clone(),
            at_hand: self.at_hand,
            moved: self.moved.clone(),
            done: self.done.clone(),
            settings: self.settings,
            settings_then: self.settings_then,
            cacheable: self.cacheable,
            ..Case::new(text, self.policy, self.names, self.fingerprint)
        }
    }

    /// Takes over what was learned of a text that stands for the statement at hand.
    pub(super) fn adopt(&mut self, mut other: Case<'_>) {
        self.observed = std::mem::take(&mut other.observed);
        self.met = other.met.take();
        self.effects.append(&mut other.effects);
        self.moving = other.moving.take().or_else(|| self.moving.take());
        self.done = std::mem::take(&mut other.done);
        self.settings_then = other.settings_then;
        self.runs_by_path |= other.runs_by_path;
        self.cacheable &= other.cacheable;
    }

    /// A value of the session that models read, where it is known for certain. All are a part of
    /// the cache's key, but for those behind the end of a transaction.
    pub(super) fn value(&self, value: &SessionValue, told: Told) -> Option<Option<&'j str>> {
        match (value, told) {
            (SessionValue::Setting(_), Told::Changed) => None,
            (SessionValue::Setting(_), Told::Ended) => self.names.values_at_end()?.get(value),
            _ => self.names.values().get(value),
        }
    }

    /// A text that another one runs, judged on its own, where names are looked up in `paths`.
    pub(super) fn run(&self, text: &'j str, paths: Option<SearchPaths>) -> Self {
        Self {
            nesting: Nesting::Run,
            moved: paths.or_else(|| self.moved.clone()),
            settings: self.settings,
            settings_then: self.settings,
            ..Self::new(text, self.policy, self.names, None)
        }
    }

    /// The body of a function, judged as if a client had sent it, where names are looked up in
    /// `paths`.
    pub(super) fn body<'i>(
        &self,
        text: &'i str,
        arguments: &'i Arguments<'i>,
        paths: SearchPaths,
    ) -> Case<'i>
    where
        'j: 'i,
    {
        Case {
            nesting: Nesting::Body,
            arguments: Some(arguments),
            at_hand: self.at_hand,
            moved: Some(paths),
            settings: self.settings,
            settings_then: self.settings,
            ..Case::new(text, self.policy, self.names, None)
        }
    }

    /// A literal that the statement at hand runs, judged as if a client had sent it.
    pub(super) fn literal<'i>(&self, text: &'i str) -> Case<'i>
    where
        'j: 'i,
    {
        Case {
            nesting: Nesting::Literal,
            at_hand: self.at_hand,
            moved: self.moved.clone(),
            settings: self.settings,
            settings_then: self.settings,
            met: self.met.as_ref().map(Met::anew),
            ..Case::new(text, self.policy, self.names, None)
        }
    }

    /// Takes over what was learned of a literal that the statement at hand runs.
    pub(super) fn hear(&mut self, literal: &Case<'_>) {
        self.observe(&literal.observed);
        if let (Some(met), Some(inner)) = (&mut self.met, &literal.met) {
            met.take_over(&inner.named());
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
    pub(super) fn sight(&self) -> Option<&'j Sight> {
        self.at_hand
            .or_else(|| self.names.sight().map(AsRef::as_ref))
    }

    /// How deep this verdict looks.
    pub(super) fn depth(&self) -> Depth {
        match (self.names.grounds().database, self.policy.catalog()) {
            _ if self.at_hand.is_some() => Depth::Names,
            (Database::Seen(_), _) if self.sight().is_some() => Depth::Names,
            (Database::Absent, _) | (Database::Unseen, CatalogNeed::Preferred) => Depth::Tree,
            // A snapshot that is known but not at hand is none.
            (Database::Seen(_), _) | (Database::Unseen, CatalogNeed::Required) => Depth::BuiltIns,
        }
    }

    /// Whether the statement at hand exports its snapshot, as the policy lets it.
    pub(super) fn exports_snapshot(&self) -> bool {
        self.single_call == SingleCall::Export
            && self.policy.statements().snapshots == Choice::Allow
    }

    /// As whom the upstream session runs.
    pub(super) fn role(&self) -> &'j str {
        self.names.role()
    }

    /// Where names are looked up.
    pub(super) fn paths(&self) -> &SearchPaths {
        self.moved.as_ref().unwrap_or_else(|| self.names.paths())
    }

    /// Whether that is not what the session said any more.
    pub(super) fn has_moved(&self) -> bool {
        self.moved.is_some()
    }

    /// What the session said of the grounds.
    pub(super) fn grounds(&self) -> Grounds {
        self.names.grounds()
    }

    /// Whether a verdict of before is good now.
    pub(super) fn holds(&self, facts: &Facts) -> bool {
        self.is_as_told() && facts.hold_on(self.names.grounds())
    }

    /// Whether paths and settings are what the session said.
    fn is_as_told(&self) -> bool {
        self.moved.is_none() && self.settings == Told::Before
    }

    /// Where the notes of an inner statement begin.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            effects: self.effects.len(),
            moving: self.moving.clone(),
            done: self.done.clone(),
            settings_then: self.settings_then,
        }
    }

    /// Takes back what was noted since: the statement is not run. Its effects are returned.
    pub(super) fn take_back(&mut self, mark: Mark) -> Vec<Effect> {
        self.moving = mark.moving;
        self.done = mark.done;
        self.settings_then = mark.settings_then;
        self.effects.split_off(mark.effects.min(self.effects.len()))
    }

    /// What search_path may be once the transaction at hand is over, as the session said: no part
    /// of the cache's key. Where a statement ends it, others behind it, the verdict is not kept.
    pub(super) fn said_at_end(&self) -> &'j SearchPaths {
        self.names.paths_at_end()
    }

    /// The verdict is good for this moment only.
    pub(super) fn forget_verdict(&mut self) {
        self.cacheable = false;
    }

    /// The statement at hand is done.
    pub(super) fn end_statement(&mut self) {
        if self.moving.is_some() {
            self.moved = self.moving.take();
        }
        self.settings = self.settings_then;
        self.within.clear();
    }

    /// What a prepared statement or cursor changes when it runs.
    pub(super) fn take_over(&mut self, inner: &Facts) {
        self.observe(&inner.observed);
        self.runs_by_path |= inner.runs_by_path;
        if let (Some(met), Some(named)) = (&mut self.met, &inner.named) {
            met.take_over(named);
        }
        for effect in &inner.effects {
            self.calls_run = Surety::Possible;
            match effect {
                Effect::SearchPathSet { path, scope, .. } => self.move_paths(path.clone(), *scope),
                Effect::SettingSet {
                    settings,
                    value,
                    scope,
                    ..
                } => self.set(settings.clone(), value.clone(), *scope),
                other => self.effects.push(other.clone()),
            }
        }
    }

    /// Notes that settings may be others afterwards.
    pub(super) fn touch_settings(&mut self) {
        let is_detail = |effect: &&Effect| {
            matches!(
                effect,
                Effect::SearchPathSet { .. } | Effect::SettingSet { .. }
            )
        };
        let mut noted = self.effects.iter().rev().skip_while(is_detail);
        if !matches!(noted.next(), Some(Effect::SettingsTouched)) {
            self.effects.push(Effect::SettingsTouched);
        }
    }

    /// Whether a use at a place of the text is one that the gate put there itself.
    pub(super) fn trusts(&self, at: Option<usize>) -> bool {
        at.is_some_and(|at| self.trusted.iter().any(|span| span.contains(&at)))
    }

    /// Whether names are looked up for the record.
    pub(super) fn records_names(&self) -> bool {
        self.met.as_ref().is_some_and(|met| !met.knows_all())
    }

    /// What a rule of the policy says: it refuses, or where the policy only observes it, that is
    /// noted and the statement goes on.
    pub(super) fn under(&mut self, rule: PolicyRule, refused: Box<Refusal>) -> Found {
        match self.policy.mode_of(rule) {
            Mode::Enforce => Err(refused),
            Mode::Observe => {
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
            self.names.grounds(),
            self.depth(),
        );
        let facts = Facts {
            named: self.met.as_ref().map(Met::named),
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
        let (grounds, depth) = (self.names.grounds(), self.depth());
        let instead = self.instead();
        let bare = Facts::bare(kind, self.fingerprint, self.statements, grounds, depth);
        Facts {
            effects: self.effects.into_boxed_slice(),
            cacheable: self.cacheable,
            asks_role: self.asks_role,
            observed: self.observed.clone().into_boxed_slice(),
            instead,
            runs_by_path: self.runs_by_path,
            named: self.met.as_ref().map(Met::named),
            text: self.recorded.clone(),
            shape: self
                .shape
                .filter(|_| kind.is_plain_query() && self.statements == 1),
            cursor_steps: self.cursor_steps.into_boxed_slice(),
            ..bare
        }
    }

    /// What is known of a statement inside another one, which began at `mark` and is not run yet.
    pub(super) fn inner_facts(&mut self, kind: StatementKind, mark: Mark) -> Facts {
        let (grounds, depth) = (self.names.grounds(), self.depth());
        Facts {
            effects: self.take_back(mark).into_boxed_slice(),
            // Behind a change of search_path in the same text it was judged on grounds that the
            // session did not state: it is judged again when it runs.
            cacheable: self.is_as_told(),
            observed: self.observed.clone().into_boxed_slice(),
            // Several statements have one text together: none of them has a model and is kept.
            instead: self.instead().filter(|_| self.statements <= 1),
            runs_by_path: self.runs_by_path,
            named: self.met.as_ref().map(Met::named),
            text: self.recorded.clone(),
            ..Facts::bare(kind, self.fingerprint, 1, grounds, depth)
        }
    }
}
