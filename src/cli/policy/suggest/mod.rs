//! `pgsieve policy suggest`: the narrowest policy under which what an audit has seen still runs.
//!
//! It reads names, counts and days, and sends nothing to the database but questions about its
//! catalog.

pub(in crate::cli) mod audit_reads;
pub(in crate::cli) mod left_out;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufReader, Write};
use std::path::Path;
use std::sync::Arc;

use crate::catalog::{Catalog, FunctionId, RelationId, SchemaKind};
use crate::cli::policy::files;
use crate::cli::policy::files::PolicyFile;
use crate::cli::policy::rewrite::{ListedEntry, YamlWriter, entries};
use crate::cli::policy::suggest::audit_reads::{AuditReadError, AuditReads, SeenCount, UserFilter};
use crate::cli::policy::suggest::left_out::LeftOut;
use crate::cli::policy::test::misused;
use crate::cli::policy::trial::world;
use crate::cli::statement_input::open;
use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::gate::effects::graph::EffectGraph;
use crate::offline::assumptions::AssumedDatabase;
use crate::policy::Policy;
use crate::policy::access::Glob;
use crate::policy::yaml::tree;
use crate::policy::yaml::tree::{YamlEntry, YamlTree, YamlValue};
use crate::system_error;

/// The flags of `policy suggest`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct PolicySuggestFlags {
    /// The database of the audit: postgres://[user[:password]@]host[:port]/[name]. Only its catalog
    /// is read.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Audits that pgsieve has written, in any order; - for standard input.
    #[arg(long, value_name = "FILE", required = true, num_args = 1..)]
    from: Vec<String>,
    /// The policy that gives everything else: a file, or the name of a built-in one.
    #[arg(long, value_name = "POLICY", default_value = "agent")]
    policy: String,
    /// Only statements of users that match this pattern; the policy's match then has it too.
    #[arg(long, value_name = "PATTERN")]
    user: Option<String>,
    /// Only statements of clients with such an application_name; the policy's match then has it
    /// too.
    #[arg(long, value_name = "PATTERN")]
    application_name: Option<String>,
    /// The name of the policy [default: that of the base, and -suggested].
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
}

/// What goes into the policy, and what cannot.
#[derive(Default)]
struct SuggestedLists {
    relations: Vec<ListedEntry>,
    functions: Vec<ListedEntry>,
    left_out: LeftOut,
}

/// Prints the policy.
pub fn run(flags: &PolicySuggestFlags, out: &mut impl Write) -> CommandOutcome {
    let prepared = files::read_one(&flags.policy).and_then(|base| {
        let tree = base.layers.merged();
        Ok((base, tree, world(Some(&flags.upstream))?))
    });
    let (base, tree, world) = match prepared {
        Ok(prepared) => prepared,
        Err(problems) => return misused(&problems),
    };
    let Some(catalog) = &world.catalog else {
        return fail(format_args!("--upstream: nothing is known of the database"));
    };
    let seen = match seen(flags, &world) {
        Ok(seen) => seen,
        Err(outcome) => return outcome,
    };
    let suggested = SuggestedPolicy {
        flags,
        base: &base,
        tree: &tree,
        seen: &seen,
    };
    // Which functions have to be named shows once none is.
    let draft = suggested.text(&SuggestedLists {
        relations: relations(&seen, catalog).relations,
        ..SuggestedLists::default()
    });
    let draft = match Policy::from_yaml(&draft) {
        Ok(policy) => policy,
        Err(problems) => return unfit(&problems),
    };
    let mut found = relations(&seen, catalog);
    functions(&seen, catalog, &draft, &mut found);
    let text = suggested.text(&found);
    match Policy::from_yaml(&text) {
        Ok(policy) => still_opaque(&seen, catalog, &policy, &mut found),
        Err(problems) => return unfit(&problems),
    }
    let not_given: Vec<_> = suggested.settings_not_given().collect();
    found.left_out.print(&seen, base.policy.name(), &not_given);
    print_outcome(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

fn seen(flags: &PolicySuggestFlags, world: &AssumedDatabase) -> Result<AuditReads, CommandOutcome> {
    let whose = UserFilter {
        user: flags.user.as_deref().map(Glob::new),
        application_name: flags.application_name.as_deref().map(Glob::new),
        database: Some(world.database.clone()),
    };
    let mut seen = AuditReads::default();
    for name in &flags.from {
        let input = open(name).map_err(AuditReadError::Input);
        let taken = input.and_then(|input| seen.take(BufReader::new(input), &whose));
        match taken {
            Ok(()) => {}
            Err(AuditReadError::Input(error)) => {
                let told = system_error::of_file(Path::new(name), error.kind());
                complain(format_args!("cannot be read: {told}"));
                return Err(CommandOutcome::Misused);
            }
            Err(AuditReadError::TooMany) => {
                return Err(fail(format_args!(
                    "{name}: more names than a policy should list; narrow it with --user or \
                     --application-name, or write patterns by hand"
                )));
            }
        }
    }
    if seen.statements.first.is_none() {
        for (database, times) in &seen.elsewhere {
            complain(format_args!("statements in database {database}: {times}"));
        }
        return Err(fail(format_args!(
            "no statement of database {} that ran is in there",
            world.database
        )));
    }
    Ok(seen)
}

fn relations(seen: &AuditReads, catalog: &Catalog) -> SuggestedLists {
    let mut known: BTreeMap<String, RelationId> = BTreeMap::new();
    for (id, _) in catalog.relations() {
        let (schema, name) = names_of(catalog, id);
        known.insert(format!("{schema}.{name}"), id);
    }
    // How it is written in quotes wins where a name has dots in it.
    for (id, _) in catalog.relations() {
        known.insert(catalog.relation_name(id), id);
    }
    let (mut listed, mut lost) = (Vec::new(), Vec::new());
    let mut of_server = 0;
    for (name, often) in &seen.relations {
        let Some(id) = known.get(name) else {
            if is_of_the_server(name) {
                of_server += 1;
            } else {
                lost.push(format!(
                    "relation {name} is not in the database any more: it is left out"
                ));
            }
            continue;
        };
        let schema = catalog.relation(*id).schema;
        if of_the_server(catalog.schema(schema).kind) {
            of_server += 1;
            continue;
        }
        match pattern(names_of(catalog, *id)) {
            Some(word) => listed.push(ListedEntry {
                word,
                comment: often.in_words(),
            }),
            None => lost.push(format!(
                "relation {name} has a * in its name: it is left out"
            )),
        }
    }
    SuggestedLists {
        relations: listed,
        left_out: LeftOut {
            lost,
            of_server,
            ..LeftOut::default()
        },
        ..SuggestedLists::default()
    }
}

fn functions(
    seen: &AuditReads,
    catalog: &Arc<Catalog>,
    draft: &Policy,
    found: &mut SuggestedLists,
) {
    let effect_graph = EffectGraph::new(Arc::clone(catalog), draft);
    let mut known: BTreeMap<String, FunctionId> = BTreeMap::new();
    for (id, function) in catalog.functions() {
        if !function.oid.is_built_in() {
            known.insert(catalog.function_signature(id), id);
        }
    }
    for (name, often) in &seen.functions {
        let Some(id) = known.get(name) else {
            found.left_out.lost.push(format!(
                "function {name} is not in the database any more: it is left out"
            ));
            continue;
        };
        if effect_graph.may_read_anything(*id) || effect_graph.called_by_name(*id).is_some() {
            found.functions.push(ListedEntry {
                word: name.clone(),
                comment: often.in_words(),
            });
        } else {
            found.left_out.unneeded.push(name.clone());
        }
    }
}

/// Functions that were named, and run something else that would have to be named as well.
fn still_opaque(
    seen: &AuditReads,
    catalog: &Arc<Catalog>,
    policy: &Policy,
    found: &mut SuggestedLists,
) {
    let effect_graph = EffectGraph::new(Arc::clone(catalog), policy);
    found.left_out.take_hidden(seen, &effect_graph);
    for (id, _) in catalog.functions() {
        let opaque =
            || effect_graph.may_read_anything(id) || effect_graph.called_by_name(id).is_some();
        let name = catalog.function_signature(id);
        if seen.functions.contains_key(&name) && opaque() {
            found.left_out.lost.push(format!(
                "function {name} runs another function that nobody has looked into"
            ));
        }
    }
}

/// What makes the text.
struct SuggestedPolicy<'s> {
    flags: &'s PolicySuggestFlags,
    base: &'s PolicyFile,
    tree: &'s YamlTree,
    seen: &'s AuditReads,
}

impl SuggestedPolicy<'_> {
    fn text(&self, found: &SuggestedLists) -> String {
        let mut out = YamlWriter::default();
        let (base, often) = (self.base.policy.name(), self.seen.statements.in_words());
        out.comment(
            0,
            &format!(
                "Suggested by pgsieve policy suggest, from the policy {base} and an audit of \
                 statements that ran: {often}.\nWhat they did not read is refused. Read it, try it \
                 with mode: observe, then enforce it."
            ),
        );
        let usual = format!("{base}-suggested");
        out.word(0, "name", self.flags.name.as_deref().unwrap_or(&usual));
        out.word(0, "mode", "enforce");
        self.matches(&mut out);
        let mut done = BTreeSet::new();
        for entry in entries(self.tree) {
            done.insert(entry.key.as_str());
            match entry.key.as_str() {
                "name" | "mode" | "rules" | "match" | "tests" | "extends" | "replace" => {}
                "relations" => relations_section(&mut out, Some(&entry.tree), found),
                "functions" => functions_section(&mut out, Some(&entry.tree), found),
                "settings" => self.settings_section(&mut out, &entry.tree),
                _ => {
                    out.gap();
                    out.tree(0, &entry.key, &entry.tree, "");
                }
            }
        }
        if !done.contains("relations") {
            relations_section(&mut out, None, found);
        }
        if !done.contains("functions") {
            functions_section(&mut out, None, found);
        }
        if !done.contains("settings")
            && let Some(settings) = default_settings()
        {
            self.settings_section(&mut out, &settings);
        }
        out.finish()
    }

    /// Whom it is for, where that was asked for.
    fn matches(&self, out: &mut YamlWriter) {
        let asked = [
            ("user", &self.flags.user),
            ("application_name", &self.flags.application_name),
        ];
        if asked.iter().all(|(_, pattern)| pattern.is_none()) {
            return;
        }
        out.open(0, "match");
        for (key, pattern) in asked {
            if let Some(pattern) = pattern {
                out.word(1, key, pattern);
            }
        }
    }

    fn settings_section(&self, out: &mut YamlWriter, tree: &YamlTree) {
        out.gap();
        out.open(0, "settings");
        for entry in entries(tree) {
            if entry.key != "allow" {
                out.tree(1, &entry.key, &entry.tree, "");
                continue;
            }
            out.comment(
                1,
                "Those without a count are set when clients connect, which the audit does not show.",
            );
            out.open(1, "allow");
            for setting in entries(&entry.tree) {
                let often = self.seen.settings.get(&setting.key);
                if let Some(comment) = kept(setting, often) {
                    out.tree(2, &setting.key, &setting.tree, &comment);
                }
            }
        }
    }

    /// Settings that were set and that the base does not give.
    fn settings_not_given(&self) -> impl Iterator<Item = (&String, &SeenCount)> {
        let policy = &self.base.policy;
        let settings = self.seen.settings.iter();
        settings.filter(|(name, _)| policy.setting(name).is_none())
    }
}

fn kept(setting: &YamlEntry, often: Option<&SeenCount>) -> Option<String> {
    match often {
        Some(often) => Some(often.in_words()),
        None if AT_STARTUP.contains(&setting.key.as_str()) => Some(String::new()),
        None => None,
    }
}

fn relations_section(out: &mut YamlWriter, base: Option<&YamlTree>, found: &SuggestedLists) {
    out.gap();
    out.open(0, "relations");
    out.list(1, "allow", &found.relations);
    for entry in base.map(entries).unwrap_or_default() {
        if entry.key != "allow" {
            out.tree(1, &entry.key, &entry.tree, "");
        }
    }
}

fn functions_section(out: &mut YamlWriter, base: Option<&YamlTree>, found: &SuggestedLists) {
    out.gap();
    out.open(0, "functions");
    if !found.functions.is_empty() {
        out.comment(
            1,
            "Their bodies may read anything. Whoever keeps one here has read it.",
        );
    }
    out.list(1, "allow", &found.functions);
    for entry in base.map(entries).unwrap_or_default() {
        if entry.key != "allow" {
            out.tree(1, &entry.key, &entry.tree, "");
        }
    }
}

/// What may be set under a policy that does not say it: what the default one allows.
fn default_settings() -> Option<YamlTree> {
    let agent = tree::read(Policy::text_of("agent")?).ok()?;
    let settings = agent.below(&["settings"])?;
    let allow = entries(settings).iter().find(|entry| entry.key == "allow");
    Some(YamlTree {
        value: YamlValue::Map(vec![allow?.clone()]),
        place: settings.place,
    })
}

fn unfit(problems: &[crate::policy::PolicyProblem]) -> CommandOutcome {
    for problem in problems {
        complain(format_args!("the suggestion is no policy: {problem}"));
    }
    CommandOutcome::Failed
}

/// The schema and the name of a relation.
pub(in crate::cli) fn names_of(catalog: &Catalog, id: RelationId) -> (&str, &str) {
    let (names, relation) = (catalog.names(), catalog.relation(id));
    let schema = catalog.schema(relation.schema).name;
    (names.text(schema), names.text(relation.name))
}

/// A pattern that names one relation; none where its name has a wildcard in it.
pub(in crate::cli) fn pattern((schema, name): (&str, &str)) -> Option<String> {
    let part = |part: &str| {
        let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        match part.chars().all(plain) {
            true => part.to_owned(),
            false => format!("\"{}\"", part.replace('"', "\"\"")),
        }
    };
    let wild = schema.contains('*') || name.contains('*');
    (!wild).then(|| format!("{}.{}", part(schema), part(name)))
}

/// Whether a schema is one of the server's own.
pub(in crate::cli) fn of_the_server(kind: SchemaKind) -> bool {
    matches!(kind, SchemaKind::Catalog | SchemaKind::InformationSchema)
}

/// The server's own relations need no naming, known or not.
pub(in crate::cli) fn is_of_the_server(name: &str) -> bool {
    name.starts_with("pg_catalog.") || name.starts_with("information_schema.")
}

/// Settings that clients send when they connect, and that sessions rest on.
const AT_STARTUP: [&str; 14] = [
    "default_transaction_read_only",
    "transaction_read_only",
    "client_encoding",
    "standard_conforming_strings",
    "statement_timeout",
    "lock_timeout",
    "idle_in_transaction_session_timeout",
    "datestyle",
    "intervalstyle",
    "timezone",
    "extra_float_digits",
    "application_name",
    "client_min_messages",
    "search_path",
];

const EXIT_STATUS: &str = "Exit status: 0 where a policy was printed, 1 where there is none to \
    suggest, 2 where the question was wrong. What the policy lacks is said on stderr.";
