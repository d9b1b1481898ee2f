//! What a statement names, for the audit: names of the database's own, never a literal.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use super::effects::graph::EffectGraph;
use catalog::{CastMethod, Catalog, FunctionId, RelationId, quoted};
use ground::limits::{AUDIT_TEXT_BYTES_MAX, NAMED_MAX, NAMES_RENDERED_BYTES_MAX};
use ground::secret::Secret;
use resolve::{Resolution, UsedObject};

/// Qualified names, each once, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StatementObjects {
    /// Relations that are read, as `schema.name`.
    pub relations: Box<[Arc<str>]>,
    /// Columns that are read, as `schema.name.column`, and `schema.name.*` where a row is read as a
    /// whole; empty where nobody records them.
    pub columns: Box<[Arc<str>]>,
    /// Functions that are called and are no built-ins, as `schema.name(types)`, those behind
    /// operators and written casts among them.
    pub functions: Box<[Arc<str>]>,
    /// Settings that are set, in lower case.
    pub settings: Box<[Arc<str>]>,
    /// The same as a line of the audit shows it.
    pub rendered: RenderedNames,
}

/// A statement's text, or its beginning. Never shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedText {
    /// What is kept of it.
    pub kept: Secret,
    /// Bytes behind that.
    pub left_out: u64,
}

impl RecordedText {
    /// As much of a text as is kept, up to a whole character.
    pub fn of(text: &str) -> Self {
        let end = text.floor_char_boundary(AUDIT_TEXT_BYTES_MAX);
        let kept = text.get(..end).unwrap_or_default();
        Self {
            kept: Secret::new(kept),
            left_out: u64::try_from(text.len() - kept.len()).unwrap_or(u64::MAX),
        }
    }

    /// What it takes in memory, about.
    pub(super) fn bytes(&self) -> usize {
        self.kept.reveal().len() + NAME_BYTES
    }
}

/// A text that is put together when it is first asked for: names outlive the statement that was
/// met with them, and every statement that runs again shows them again.
#[derive(Clone, Debug, Default)]
pub struct RenderedNames(OnceLock<Option<Box<str>>>);

impl RenderedNames {
    /// The text, where it is short enough to be kept.
    pub fn keep(&self, render: impl FnOnce() -> String) -> Option<&str> {
        let kept = self.0.get_or_init(|| {
            let text = render();
            (text.len() <= NAMES_RENDERED_BYTES_MAX).then(|| text.into_boxed_str())
        });
        kept.as_deref()
    }
}

/// It follows from the names.
impl PartialEq for RenderedNames {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RenderedNames {}

impl StatementObjects {
    /// What it takes in memory, about: each name twice, as it is and as a line shows it.
    pub(super) fn bytes(&self) -> usize {
        let all = [
            &self.relations,
            &self.columns,
            &self.functions,
            &self.settings,
        ];
        let names = all.into_iter().flatten();
        names.map(|name| 2 * name.len() + NAME_BYTES).sum()
    }
}

/// What was met so far of what a text names.
#[derive(Clone, Default)]
pub(super) struct NameCollector {
    relations: BTreeSet<Arc<str>>,
    /// None where they are not recorded.
    columns: Option<BTreeSet<Arc<str>>>,
    functions: BTreeSet<Arc<str>>,
    settings: BTreeSet<Arc<str>>,
    /// All of it, where that was known before.
    known: Option<Arc<StatementObjects>>,
}

impl NameCollector {
    /// Nothing was met yet; or all is known that will be.
    pub(super) fn with_known(known: Option<Arc<StatementObjects>>) -> Self {
        Self {
            known,
            ..Self::default()
        }
    }

    /// The same, where columns are recorded as well.
    pub(super) fn with_columns(self) -> Self {
        Self {
            columns: Some(BTreeSet::new()),
            ..self
        }
    }

    /// Nothing was met yet, and the same is recorded.
    pub(super) fn restarted(&self) -> Self {
        Self {
            columns: self.columns.as_ref().map(|_| BTreeSet::new()),
            ..Self::default()
        }
    }

    /// Whether nothing more has to be met.
    pub(super) fn knows_all(&self) -> bool {
        self.known.is_some()
    }

    /// Takes over what a statement names.
    pub(super) fn add(&mut self, resolution: &Resolution<'_>, effect_graph: &EffectGraph) {
        let catalog = effect_graph.catalog();
        for used in &resolution.uses {
            match &used.what {
                UsedObject::Relation { id, .. } => {
                    put(&mut self.relations, || qualified(catalog, *id));
                }
                UsedObject::Functions { candidates, .. } => self.call(catalog, candidates),
                UsedObject::Operators { candidates, .. } => {
                    let functions = candidates.iter();
                    let functions = functions.filter_map(|id| catalog.operator(*id).function);
                    self.call(catalog, &functions.collect::<Vec<_>>());
                }
                UsedObject::Cast { candidates, .. } => {
                    for id in candidates {
                        if let CastMethod::Function(function) = catalog.cast(*id).method {
                            self.call(catalog, &[function]);
                        }
                    }
                }
                UsedObject::Column {
                    origin: Some((id, number)),
                    ..
                } => self.column(catalog, *id, Some(*number)),
                UsedObject::WholeRow {
                    relation: Some(id), ..
                } => self.column(catalog, *id, None),
                _ => {}
            }
        }
    }

    /// Takes over a column of a relation that is read, or all of them. Those that every table has
    /// are left out.
    fn column(&mut self, catalog: &Catalog, id: RelationId, number: Option<i16>) {
        let Some(columns) = &mut self.columns else {
            return;
        };
        let name = match number {
            None => "*".into(),
            Some(number) => {
                let mut of_relation = catalog.columns_of(id).iter();
                match of_relation.find(|column| column.number == number) {
                    Some(column) => quoted(catalog.names().text(column.name)),
                    None => return,
                }
            }
        };
        put(columns, || format!("{}.{name}", qualified(catalog, id)));
    }

    /// Takes over functions that are called, by their name or behind an operator or a cast.
    fn call(&mut self, catalog: &Catalog, functions: &[FunctionId]) {
        for id in functions {
            if !catalog.function(*id).oid.is_built_in() {
                put(&mut self.functions, || catalog.function_signature(*id));
            }
        }
    }

    /// Takes over a setting that is set.
    pub(super) fn set(&mut self, setting: &str) {
        put(&mut self.settings, || setting.to_ascii_lowercase());
    }

    /// Takes over what another statement names, which this one runs.
    pub(super) fn take_over(&mut self, named: &StatementObjects) {
        let both = [
            (&mut self.relations, &named.relations),
            (&mut self.functions, &named.functions),
            (&mut self.settings, &named.settings),
        ];
        if let Some(columns) = &mut self.columns {
            for name in &named.columns {
                put(columns, || name.to_string());
            }
        }
        for (into, names) in both {
            for name in names {
                put(into, || name.to_string());
            }
        }
    }

    /// All of it.
    pub(super) fn named_objects(&self) -> Arc<StatementObjects> {
        if let Some(known) = &self.known {
            return Arc::clone(known);
        }
        let all = |names: &BTreeSet<Arc<str>>| names.iter().map(Arc::clone).collect();
        Arc::new(StatementObjects {
            relations: all(&self.relations),
            columns: self.columns.as_ref().map(all).unwrap_or_default(),
            functions: all(&self.functions),
            settings: all(&self.settings),
            rendered: RenderedNames::default(),
        })
    }
}

/// With its schema, also where that is pg_catalog.
fn qualified(catalog: &Catalog, id: RelationId) -> String {
    let relation = catalog.relation(id);
    let name = quoted(catalog.names().text(relation.name));
    format!("{}.{name}", catalog.schema_name(relation.schema))
}

/// What a name takes beside its letters: the pointer to it and its counts.
const NAME_BYTES: usize = 32;

fn put(into: &mut BTreeSet<Arc<str>>, name: impl FnOnce() -> String) {
    if into.len() < NAMED_MAX {
        into.insert(name().into());
    }
}
