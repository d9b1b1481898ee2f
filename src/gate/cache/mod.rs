//! Verdicts that were given before.
//!
//! A verdict on a text that passed depends on the text, byte for byte (but for constants of reads
//! whose values nothing reads, see `text_shapes`), on the types that a Parse message gave for
//! parameters, and on the basis ([`super::basis`]: the policy, the upstream and its version, the
//! snapshot, the search_path, the role, the session's values that models read); so these are the
//! key. What depends on the session's own names is not kept, nor is any refusal. One cache per
//! worker thread, behind a lock that its sessions take one after the other; so a client's texts do
//! not push out those of every other.
//!
//! * `rejudge`: what was judged before and runs on another basis
//! * `text_shapes`: texts that differ in such constants alone; `shape_text`: what is the same in
//!   them; `constant_place`: where the others stand; `unread_constants`: that nothing reads them

mod constant_place;
#[cfg(test)]
mod known_places_tests;
pub(super) mod rejudge;
#[cfg(test)]
mod shape_statements;
#[cfg(test)]
mod shape_tests;
mod shape_text;
#[cfg(test)]
mod shape_words;
pub(super) mod text_shapes;
mod unread_constants;

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::basis::BasisDigest;
use super::cache::text_shapes::{ShapeCache, ShapeRecord, TextShape, is_shared};
use super::{
    Facts, Gate, Judgement, ParameterTypes, ReadPermit, SessionEffect, SessionNames, StatementKind,
    Verdict, VerdictBasis,
};
use ground::limits;

/// What a verdict depends on, beside the text.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub(super) struct VerdictKey {
    policy: u64,
    key: VerdictBasis,
    parameters: BasisDigest,
}

/// What the memory of verdicts knew of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CacheLookup {
    /// The verdict.
    Hit,
    /// Nothing.
    Miss,
    /// It was not asked: nothing of the kind is remembered.
    NotConsulted,
}

/// Remembers the verdicts of one worker thread.
///
/// Two generations: a text that is asked for again moves to the young one; when that is full it
/// becomes the old one, and the old one is dropped. A text is kept from the second time on, so that
/// texts that come once cost no allocation.
pub struct JudgementCache {
    /// Seeded at random: a client cannot choose texts that collide.
    hasher: RandomState,
    young: CacheGeneration,
    old: CacheGeneration,
    seen: SeenOnce,
    shapes: ShapeCache,
}

#[derive(Default)]
struct CacheGeneration {
    entries: HashMap<u64, CachedVerdict, IdentityBuildHasher>,
    bytes: usize,
}

struct CachedVerdict {
    text: Box<str>,
    key: VerdictKey,
    facts: Arc<Facts>,
}

impl VerdictKey {
    fn of(gate: &Gate, names: &SessionNames, parameters: BasisDigest) -> Self {
        Self {
            policy: gate.policy().version_number(),
            key: names.basis(),
            parameters,
        }
    }
}

impl JudgementCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self {
            hasher: RandomState::default(),
            young: CacheGeneration::default(),
            old: CacheGeneration::default(),
            seen: SeenOnce::default(),
            shapes: ShapeCache::default(),
        }
    }

    /// The same as [`Gate::judge`], sooner where the text is known.
    pub fn judge<'t>(
        &mut self,
        gate: &Gate,
        text: Cow<'t, str>,
        names: &SessionNames,
    ) -> Judgement<'t> {
        self.judge_with(gate, text, &ParameterTypes::none_given(), names)
            .0
    }

    /// The same as [`Gate::judge_with`], sooner where the text with these types is known; and
    /// whether it was.
    pub fn judge_with<'t>(
        &mut self,
        gate: &Gate,
        text: Cow<'t, str>,
        parameters: &ParameterTypes,
        names: &SessionNames,
    ) -> (Judgement<'t>, CacheLookup) {
        if text.len() > limits::JUDGEMENT_CACHED_TEXT_BYTES_MAX {
            return (
                gate.judge_with(text, parameters, names),
                CacheLookup::NotConsulted,
            );
        }
        let Some(parameters_digest) = parameters.digest() else {
            return (
                gate.judge_with(text, parameters, names),
                CacheLookup::NotConsulted,
            );
        };
        let key = VerdictKey::of(gate, names, parameters_digest);
        let hash = self.hash(key, &text);
        if let Some(facts) = self.find(hash, key, &text) {
            // It equals the one that was judged in every byte.
            return (permitted(text, facts), CacheLookup::Hit);
        }
        let (judgement, lookup) = self.judge_anew(gate, text, (parameters, key), names);
        if let Verdict::Permitted(permit) = &judgement.verdict
            && judgement.facts.cacheable
            && self.seen.came_before(hash)
        {
            let entry = CachedVerdict {
                text: permit.original().into(),
                key,
                facts: Arc::clone(&judgement.facts),
            };
            self.insert(hash, entry);
        }
        (judgement, lookup)
    }

    /// A text that was not judged before, but perhaps one of its shape.
    fn judge_anew<'t>(
        &mut self,
        gate: &Gate,
        text: Cow<'t, str>,
        (parameters, key): (&ParameterTypes, VerdictKey),
        names: &SessionNames,
    ) -> (Judgement<'t>, CacheLookup) {
        let is_wanted = gate.judges_by_shape() || gate.only_records_names();
        let shape = is_wanted.then(|| self.shapes.shape_of(key, &text));
        let Some(shape) = shape.flatten() else {
            let judgement = gate.judge_with(text, parameters, names);
            return (judgement, CacheLookup::Miss);
        };
        let judged = match self.shapes.find(&shape) {
            Some(recorded) => judge_known(gate, text, parameters, names, recorded),
            None => {
                let judgement = gate.judge_with(text, parameters, names);
                self.learn(gate, &shape, &judgement);
                (judgement, CacheLookup::Miss)
            }
        };
        self.shapes.give_back(shape);
        judged
    }

    /// Remembers what came of the second text of a shape, where that holds for all others.
    fn learn(&mut self, gate: &Gate, shape: &TextShape, judgement: &Judgement<'_>) {
        let facts = &judgement.facts;
        let Verdict::Permitted(permit) = &judgement.verdict else {
            return;
        };
        let is_plain = facts.kind == StatementKind::Select
            && facts.cacheable
            && facts.effects.is_empty()
            && facts.observed.is_empty()
            && facts.rewritten.is_none();
        let is_shared = gate.judges_by_shape() && is_shared(facts);
        if !is_plain || !(is_shared || facts.named_objects.is_some()) {
            return;
        }
        // What runs may be another text than what came.
        if self.shapes.came_before(shape) && shape.is_proved_by(permit.original()) {
            let recorded = ShapeRecord {
                named: facts.named_objects.clone(),
                fingerprint: facts.fingerprint,
                facts: is_shared.then(|| Arc::new(Facts::clone(facts))),
            };
            self.shapes.learn(shape, recorded);
        }
    }

    /// How many verdicts are kept.
    pub fn len(&self) -> usize {
        self.young.entries.len() + self.old.entries.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn hash(&self, key: VerdictKey, text: &str) -> u64 {
        let mut hasher = self.hasher.build_hasher();
        key.hash(&mut hasher);
        hasher.write(text.as_bytes());
        hasher.finish()
    }

    fn find(&mut self, hash: u64, key: VerdictKey, text: &str) -> Option<Arc<Facts>> {
        if let Some(entry) = self.young.entries.get(&hash) {
            return entry.is_of(key, text).then(|| Arc::clone(&entry.facts));
        }
        let entry = self.old.entries.remove(&hash)?;
        self.old.bytes = self.old.bytes.saturating_sub(entry.bytes());
        if !entry.is_of(key, text) {
            return None;
        }
        let facts = Arc::clone(&entry.facts);
        self.insert(hash, entry);
        Some(facts)
    }

    fn insert(&mut self, hash: u64, entry: CachedVerdict) {
        let bytes = entry.bytes();
        // Half of each bound: there are two generations.
        if self.young.entries.len() >= limits::JUDGEMENTS_CACHED_MAX / 2
            || self.young.bytes + bytes > limits::JUDGEMENT_CACHE_BYTES_MAX / 2
        {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.bytes += bytes;
        if let Some(replaced) = self.young.entries.insert(hash, entry) {
            self.young.bytes = self.young.bytes.saturating_sub(replaced.bytes());
        }
    }
}

/// The hashes of what came once, by their last bits.
struct SeenOnce(Box<[u64]>);

impl SeenOnce {
    /// Whether something with this hash came before. A wrong yes costs one entry.
    fn came_before(&mut self, hash: u64) -> bool {
        let slots = self.0.len();
        let at = usize::try_from(hash).unwrap_or(0) % slots.max(1);
        match self.0.get_mut(at) {
            Some(slot) if *slot == hash => true,
            Some(slot) => {
                *slot = hash;
                false
            }
            None => false,
        }
    }
}

impl Default for SeenOnce {
    fn default() -> Self {
        Self(vec![0; SEEN_ONCE].into_boxed_slice())
    }
}

/// A text of a shape of which something is known.
fn judge_known<'t>(
    gate: &Gate,
    text: Cow<'t, str>,
    parameters: &ParameterTypes,
    names: &SessionNames,
    recorded: &ShapeRecord,
) -> (Judgement<'t>, CacheLookup) {
    let is_short = text.len() <= gate.policy().statement_bytes();
    if let (Some(facts), true) = (&recorded.facts, gate.judges_by_shape() && is_short) {
        // It equals the one that was judged in all that counts. The facts are its own.
        let facts = Arc::new(Facts::clone(facts));
        return (permitted(text, facts), CacheLookup::Hit);
    }
    let recorded = gate.only_records_names().then(|| recorded.clone());
    let judgement = gate.judge_with_record(text, parameters, names, recorded);
    (judgement, CacheLookup::Miss)
}

/// A text of which these facts are known: it is as good as one that was judged and passed.
fn permitted(text: Cow<'_, str>, facts: Arc<Facts>) -> Judgement<'_> {
    let permit = ReadPermit::issue(text, Arc::clone(&facts));
    Judgement {
        verdict: Verdict::Permitted(permit),
        facts,
    }
}

impl Default for JudgementCache {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for JudgementCache {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("JudgementCache")
            .field("len", &self.len())
            .finish_non_exhaustive()
    }
}

impl CachedVerdict {
    fn is_of(&self, key: VerdictKey, text: &str) -> bool {
        self.key == key && *self.text == *text
    }

    fn bytes(&self) -> usize {
        let effects = self.facts.effects.iter().map(|effect| match effect {
            SessionEffect::Prepare { text, .. } | SessionEffect::DeclareCursor { text, .. } => {
                text.len()
            }
            SessionEffect::Deallocate { .. }
            | SessionEffect::DeallocateAll
            | SessionEffect::CloseCursor { .. }
            | SessionEffect::CloseAllCursors
            | SessionEffect::DiscardAll
            | SessionEffect::SettingsTouched
            | SessionEffect::SearchPathSet { .. }
            | SessionEffect::SettingSet { .. } => 0,
        });
        let rewritten = self
            .facts
            .rewritten
            .as_ref()
            .map_or(0, |rewritten| rewritten.text.len());
        let named = self
            .facts
            .named_objects
            .as_ref()
            .map_or(0, |named| named.bytes());
        let kept = self.facts.text.as_ref().map_or(0, |text| text.bytes());
        self.text.len() + kept + rewritten + named + effects.sum::<usize>() + ENTRY_BYTES
    }
}

/// Keys are hashes already.
#[derive(Clone, Copy, Default)]
struct IdentityBuildHasher;

impl BuildHasher for IdentityBuildHasher {
    type Hasher = IdentityHasher;

    fn build_hasher(&self) -> IdentityHasher {
        IdentityHasher(0)
    }
}

struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// What an entry takes beside its text, about.
const ENTRY_BYTES: usize = 256;

/// Slots for what came once: as many as the texts, and the shapes, that may be kept.
const SEEN_ONCE: usize = limits::JUDGEMENTS_CACHED_MAX;

#[cfg(test)]
impl JudgementCache {
    /// What a text without parameters depends on here.
    pub(super) fn key_of(&self, gate: &Gate, names: &SessionNames) -> VerdictKey {
        let open = ParameterTypes::none_given().digest().unwrap_or_default();
        VerdictKey::of(gate, names, open)
    }

    /// What is known of shapes.
    pub(super) fn shapes(&mut self) -> &mut ShapeCache {
        &mut self.shapes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rule;
    use crate::rules::check::{gate, rule_of};
    use policy::Policy;

    fn judge(cache: &mut JudgementCache, gate: &Gate, text: &str) -> Option<Rule> {
        let judgement = cache.judge(gate, Cow::Borrowed(text), &SessionNames::of_no_database());
        if let Verdict::Permitted(permit) = &judgement.verdict {
            assert_eq!(permit.text(), text);
        }
        rule_of(&judgement)
    }

    #[test]
    fn a_text_is_kept_from_the_second_time_on() {
        let (mut cache, gate) = (JudgementCache::new(), gate(Policy::agent()));
        for kept in [0, 1, 1, 1] {
            assert_eq!(judge(&mut cache, &gate, "SELECT 1"), None);
            assert_eq!(cache.len(), kept);
        }
        // One byte more is another text.
        judge(&mut cache, &gate, "SELECT 1 ");
        judge(&mut cache, &gate, "SELECT 1 ");
        assert_eq!(cache.len(), 2);
    }

    #[test]
    fn refusals_and_what_depends_on_names_are_judged_each_time() {
        let (mut cache, gate) = (JudgementCache::new(), gate(Policy::agent()));
        for _ in 0..3 {
            assert_eq!(judge(&mut cache, &gate, "DROP TABLE t"), Some(Rule::Ddl));
            assert_eq!(
                judge(&mut cache, &gate, "EXECUTE p"),
                Some(Rule::PreparedName)
            );
        }
        let mut names = SessionNames::of_no_database();
        let prepare = cache.judge(&gate, Cow::Borrowed("PREPARE p AS SELECT 1"), &names);
        for effect in &prepare.facts.effects {
            assert!(matches!(effect, SessionEffect::Prepare { .. }));
            names.apply(effect);
        }
        for _ in 0..3 {
            let known = cache.judge(&gate, Cow::Borrowed("EXECUTE p"), &names);
            assert_eq!(rule_of(&known), None);
        }
        assert!(cache.is_empty());
    }

    #[test]
    fn another_policy_is_another_verdict() {
        let mut cache = JudgementCache::new();
        let (agent, bi) = (gate(Policy::agent()), gate(Policy::bi()));
        for _ in 0..3 {
            assert_eq!(judge(&mut cache, &bi, "EXPLAIN ANALYZE SELECT 1"), None);
        }
        let refused = judge(&mut cache, &agent, "EXPLAIN ANALYZE SELECT 1");
        assert_eq!(refused, Some(Rule::ExplainAnalyze));
    }

    #[test]
    fn another_server_is_another_verdict() {
        let (mut cache, gate) = (JudgementCache::new(), gate(Policy::agent()));
        let mut verdict = |major: u16| {
            let mut names = SessionNames::of_no_database();
            names.set_server_major(major);
            rule_of(&cache.judge(&gate, Cow::Borrowed("SELECT json_scalar(1)"), &names))
        };
        for _ in 0..3 {
            assert_eq!(verdict(17), None);
            assert_eq!(verdict(15), Some(Rule::NewerSyntax));
        }
        assert_eq!(cache.len(), 1);
    }

    #[test]
    fn what_one_server_runs_is_judged_anew_for_the_next() {
        let (mut cache, gate) = (JudgementCache::new(), gate(Policy::agent()));
        let mut judged = |server: u64| {
            let mut names = SessionNames::of_no_database();
            names.set_server(server);
            let (text, parameters) = (Cow::Borrowed("SELECT 1"), ParameterTypes::none_given());
            cache.judge_with(&gate, text, &parameters, &names).1
        };
        for _ in 0..3 {
            judged(1);
        }
        assert_eq!(judged(1), CacheLookup::Hit);
        assert_eq!(judged(2), CacheLookup::Miss);
        assert_eq!(judged(1), CacheLookup::Hit);
    }

    #[test]
    fn memory_is_bounded() {
        let (mut cache, gate) = (JudgementCache::new(), gate(Policy::agent()));
        for number in 0..limits::JUDGEMENTS_CACHED_MAX * 2 {
            let text = format!("SELECT {number}");
            judge(&mut cache, &gate, &text);
            judge(&mut cache, &gate, &text);
        }
        assert!(cache.len() <= limits::JUDGEMENTS_CACHED_MAX);
        assert!(cache.len() >= limits::JUDGEMENTS_CACHED_MAX / 2);
        for number in 0..2_000 {
            let text = format!("SELECT {number}, '{}'", "x".repeat(15_000));
            judge(&mut cache, &gate, &text);
            judge(&mut cache, &gate, &text);
        }
        assert!(cache.young.bytes + cache.old.bytes <= limits::JUDGEMENT_CACHE_BYTES_MAX);
        let long = format!(
            "SELECT '{}'",
            "x".repeat(limits::JUDGEMENT_CACHED_TEXT_BYTES_MAX)
        );
        let before = cache.len();
        judge(&mut cache, &gate, &long);
        judge(&mut cache, &gate, &long);
        assert_eq!(cache.len(), before);
    }
}
