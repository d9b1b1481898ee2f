//! The section `knowledge` of a policy file. Records that stand in files of their own are in the
//! tree by now.

use super::super::access::{Glob, RelationPattern};
use super::super::knowledge::{
    AboutPattern, KnowledgeContent, KnowledgeKind, KnowledgeRecord, KnownRelationship,
    NamedColumns, PolicyKnowledge,
};
use super::super::layers::PolicyLayers;
use super::super::signature::parts;
use super::super::yaml::section::{
    PlacedProblems, YamlSection, join, listed, map, placed, report, word, words,
};
use super::super::yaml::tree::YamlTree;
use super::access::{column, relation};
use super::told_text::text;
use super::{lists, metrics};
use ground::limits::knowledge::KNOWLEDGE_RECORDS_MAX;

/// Reads the section of a policy, whose records may come from several texts.
pub(super) fn of_policy(
    top: &mut YamlSection,
    layers: &PolicyLayers,
    problems: &mut PlacedProblems,
) -> Option<PolicyKnowledge> {
    let nothing = PolicyKnowledge::default();
    top.optional("knowledge", nothing, problems, |tree, path, problems| {
        read(tree, path, layers, problems)
    })
}

fn read(
    tree: YamlTree,
    path: &str,
    layers: &PolicyLayers,
    problems: &mut PlacedProblems,
) -> Option<PolicyKnowledge> {
    let place = tree.place;
    let mut section = YamlSection::open(tree, path, problems)?;
    // Those of a policy were read before.
    section.optional("files", (), problems, |tree, path, problems| {
        let what = "files of knowledge name no others: the policy names them all";
        report(problems, tree.place, path, what);
        None
    });
    let mut records = Vec::new();
    let mut is_sound = true;
    for kind in KnowledgeKind::ALL {
        let read = section.optional(kind.name(), Vec::new(), problems, |tree, path, problems| {
            of_kind(*kind, tree, path, (layers, problems))
        });
        is_sound &= read.is_some();
        records.extend(read.into_iter().flatten());
    }
    section.close(problems);
    is_sound &= metrics::are_named_apart(&records, path, place, problems);
    if records.len() > KNOWLEDGE_RECORDS_MAX {
        let what = format!("at most {KNOWLEDGE_RECORDS_MAX} records are held");
        report(problems, place, path, &what);
        return None;
    }
    is_sound.then_some(PolicyKnowledge { records })
}

/// The records of one kind, by name.
fn of_kind(
    kind: KnowledgeKind,
    tree: YamlTree,
    path: &str,
    (layers, problems): (&PolicyLayers, &mut PlacedProblems),
) -> Option<Vec<KnowledgeRecord>> {
    let (mut records, mut is_sound) = (Vec::<KnowledgeRecord>::new(), true);
    for entry in map(tree, path, problems)? {
        let path = join(path, &entry.key);
        let shown = layers.shown(entry.place, &path);
        let read = record(kind, entry.tree, &path, problems);
        is_sound &= read.is_some();
        let Some(read) = read else { continue };
        let read = KnowledgeRecord {
            name: entry.key,
            place: shown,
            ..read
        };
        if read.name.trim().is_empty() || records.iter().any(|known| known.name == read.name) {
            let what = "a name is wanted here that no other record of this kind has";
            report(problems, entry.place, &path, what);
            is_sound = false;
        }
        records.push(read);
    }
    records.sort_by(|one, other| one.name.cmp(&other.name));
    is_sound.then_some(records)
}

fn record(
    kind: KnowledgeKind,
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<KnowledgeRecord> {
    let place = tree.place;
    let mut section = YamlSection::open(tree, path, problems)?;
    let content = content(kind, &mut section, path, problems);
    let about = match kind {
        KnowledgeKind::Quirk => section.required("about", problems, about),
        KnowledgeKind::Relationship | KnowledgeKind::Metric => Some(Vec::new()),
        _ => section.optional("about", Vec::new(), problems, about),
    };
    let users = section.optional("users", Vec::new(), problems, |tree, path, problems| {
        let users = words(listed(tree), path, problems)?;
        Some(users.iter().map(|name| Glob::new(name)).collect())
    });
    section.close(problems);
    let (content, about) = (content?, about?);
    if kind == KnowledgeKind::Quirk && about.is_empty() {
        let what = "a quirk is about a relation or a column, such as [shop.orders.total]";
        report(problems, place, &join(path, "about"), what);
        return None;
    }
    let about = match &content {
        KnowledgeContent::Relationship(known) => {
            lists::in_order(vec![about_all(&known.from), about_all(&known.to)])
        }
        KnowledgeContent::Metric(known) => {
            vec![about_relation(&known.base.schema, &known.base.name)]
        }
        _ => about,
    };
    Some(KnowledgeRecord {
        name: String::new(),
        content,
        about,
        users: lists::in_order(users?),
        place: String::new(),
    })
}

fn content(
    kind: KnowledgeKind,
    section: &mut YamlSection,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<KnowledgeContent> {
    let mut text = |key: &'static str| section.required(key, problems, text);
    Some(match kind {
        KnowledgeKind::Term => KnowledgeContent::Term {
            meaning: text("meaning")?,
        },
        KnowledgeKind::Quirk => KnowledgeContent::Quirk {
            note: text("note")?,
        },
        KnowledgeKind::Style => KnowledgeContent::Style {
            note: text("note")?,
        },
        KnowledgeKind::Correction => {
            let (wrong, right) = (text("wrong"), text("right"));
            KnowledgeContent::Correction {
                wrong: wrong?,
                right: right?,
            }
        }
        KnowledgeKind::Example => {
            let (question, sql) = (text("question"), text("sql"));
            KnowledgeContent::Example {
                question: question?,
                sql: sql?,
            }
        }
        KnowledgeKind::Clarify => {
            let (when, ask) = (text("when"), text("ask"));
            KnowledgeContent::Clarify {
                when: when?,
                ask: ask?,
            }
        }
        KnowledgeKind::Relationship => {
            return relationship(section, path, problems).map(KnowledgeContent::Relationship);
        }
        KnowledgeKind::Metric => {
            let known = metrics::read(section, path, problems)?;
            KnowledgeContent::Metric(Box::new(known))
        }
    })
}

fn relationship(
    section: &mut YamlSection,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<KnownRelationship> {
    let place = section.place();
    let from = section.required("from", problems, columns);
    let to = section.required("to", problems, columns);
    let note = section.optional("note", String::new(), problems, text);
    let (from, to) = (from?, to?);
    if from.columns.len() != to.columns.len() {
        let what = format!("{from} and {to} have different numbers of columns");
        report(problems, place, path, &what);
        return None;
    }
    Some(KnownRelationship {
        from,
        to,
        note: note?,
    })
}

/// `shop.orders(customer_no)`.
fn columns(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<NamedColumns> {
    let (place, word) = word(tree, path, problems)?;
    let read = named_columns(&word);
    if read.is_none() {
        report(problems, place, path, COLUMNS_WANTED);
    }
    read
}

fn named_columns(word: &str) -> Option<NamedColumns> {
    let (relation, columns) = word.trim().strip_suffix(')')?.split_once('(')?;
    let [schema, relation] = <[String; 2]>::try_from(parts(relation.trim())?).ok()?;
    let columns = columns.split(',').map(|column| {
        let [column] = <[String; 1]>::try_from(parts(column.trim())?).ok()?;
        Some(column)
    });
    let columns = columns.collect::<Option<Vec<String>>>()?;
    let is_exact = |name: &String| !name.is_empty() && !name.contains('*');
    let are_exact = columns.iter().chain([&schema, &relation]).all(is_exact);
    are_exact.then_some(NamedColumns {
        schema,
        relation,
        columns,
    })
}

/// The relation of some columns, as a pattern of itself alone.
fn about_all(named: &NamedColumns) -> AboutPattern {
    about_relation(&named.schema, &named.relation)
}

fn about_relation(schema: &str, name: &str) -> AboutPattern {
    AboutPattern {
        relation: RelationPattern {
            schema: Glob::new(schema),
            name: Glob::new(name),
        },
        column: None,
    }
}

/// Patterns of relations and of columns.
fn about(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Vec<AboutPattern>> {
    let patterns = placed(listed(tree), path, problems, |word| {
        let names = parts(word).map_or(0, |parts| parts.len());
        match names {
            3 => column(word).map(|pattern| AboutPattern {
                relation: pattern.relation,
                column: Some(pattern.column),
            }),
            _ => relation(word).map(|relation| AboutPattern {
                relation,
                column: None,
            }),
        }
    })?;
    Some(lists::in_order(
        patterns.into_iter().map(|(_, pattern)| pattern).collect(),
    ))
}

const COLUMNS_WANTED: &str =
    "columns of one relation are wanted here, such as shop.orders(customer_no)";

#[cfg(test)]
mod tests {
    use super::super::super::tests::{policy_with, said_of, version_with};
    use super::*;
    use ground::limits::ABOUT_BYTES_MAX;

    const ALL: &str = "term: {churned: {meaning: without an order for 90 days}}, \
        quirk: {cents: {note: in cents, about: [shop.orders.total, 'shop.\"Odd\"']}}, \
        correction: {region: {wrong: orders.region, right: stores.region, about: shop.*}}, \
        relationship: {buyer: {from: 'shop.orders(customer_no)', to: 'shop.customers(\"No\")'}}, \
        metric: {sales: {base: shop.orders, measure: sum(total)}}, \
        example: {late: {question: Who is late?, sql: SELECT 1, users: [ann, b*]}}, \
        clarify: {recent: {when: no time is named, ask: Since when?}}, \
        style: {names: {note: Write names of schemas.}}";

    #[test]
    fn records_of_every_kind_are_read_in_order() {
        let policy = policy_with("knowledge", ALL);
        let records = &policy.knowledge().records;
        let kinds: Vec<KnowledgeKind> = records.iter().map(KnowledgeRecord::kind).collect();
        assert_eq!(kinds, KnowledgeKind::ALL);
        let [term, quirk, correction, relationship, _, example, _, _] = records.as_slice() else {
            panic!("eight records")
        };
        assert_eq!(term.texts()[0], ("term", "churned"));
        assert!(term.about.is_empty() && term.is_for("anybody"));
        assert!(
            quirk
                .about
                .iter()
                .any(|about| about.to_string() == "shop.Odd")
        );
        let total = |pattern: &AboutPattern| pattern.names_column("shop", "orders", "total");
        assert!(quirk.about.iter().any(total));
        assert!(correction.about[0].names_relation("shop", "anything"));
        let KnowledgeContent::Relationship(known) = &relationship.content else {
            panic!("a relationship")
        };
        assert_eq!(known.to.to_string(), "shop.customers(No)");
        assert_eq!(relationship.about.len(), 2);
        let told = ["ann", "bob", "cy"].map(|user| example.is_for(user));
        assert_eq!(told, [true, true, false]);
        assert!(!policy.hides(), "knowledge hides nothing");
    }

    #[test]
    fn the_version_is_that_of_what_they_say() {
        let version = |keys: &str| version_with("knowledge", keys);
        let own = "style: {a: {note: x}, b: {note: y}}";
        assert_eq!(
            version(own),
            version("style: {b: {note: y},\n a: {note: x}}")
        );
        assert_ne!(version(own), version("style: {a: {note: x}, b: {note: z}}"));
        assert_ne!(
            version(own),
            version("style: {a: {note: x, users: u}, b: {note: y}}")
        );
        assert_eq!(version(""), version("style: {}"));
    }

    #[test]
    fn what_is_wrong_with_records_is_said_with_its_place() {
        let long = format!(
            "style: {{a: {{note: {}}}}}",
            "x".repeat(ABOUT_BYTES_MAX + 1)
        );
        for (keys, wanted) in [
            (
                "terms: {}",
                "knowledge.terms: unknown key; did you mean term?",
            ),
            (
                "term: {a: {}}",
                "knowledge.term.a.meaning: this key is missing",
            ),
            ("term: {a: {meaning: ' '}}", "a text of 1 to"),
            ("term: {'': {meaning: x}}", "a name is wanted here"),
            (long.as_str(), "a text of 1 to"),
            (
                "quirk: {a: {note: x}}",
                "knowledge.quirk.a.about: this key is missing",
            ),
            (
                "quirk: {a: {note: x, about: []}}",
                "a quirk is about a relation",
            ),
            (
                "quirk: {a: {note: x, about: [orders]}}",
                "with its schema, such as shop.orders",
            ),
            (
                "quirk: {a: {note: x, about: [a.b.c.d]}}",
                "knowledge.quirk.a.about",
            ),
            (
                "correction: {a: {wrong: x}}",
                "knowledge.correction.a.right: this key is missing",
            ),
            (
                "relationship: {a: {from: 'a.b(c)', to: a.d.e}}",
                "such as shop.orders(customer_no)",
            ),
            (
                "relationship: {a: {from: 'a.b(c)', to: 'b(c)'}}",
                "such as shop.orders(customer_no)",
            ),
            (
                "relationship: {a: {from: 'a.b(*)', to: 'a.d(c)'}}",
                "such as shop.orders(",
            ),
            (
                "relationship: {a: {from: 'a.b(c, d)', to: 'a.d(c)'}}",
                "different numbers of columns",
            ),
            (
                "example: {a: {question: x}}",
                "knowledge.example.a.sql: this key is missing",
            ),
            (
                "clarify: {a: {ask: x}}",
                "knowledge.clarify.a.when: this key is missing",
            ),
            (
                "style: {a: {note: x, about: [s.t], when: y}}",
                "knowledge.style.a.when: unknown key",
            ),
            ("style: [a]", "a map of keys is wanted here"),
        ] {
            let found = said_of("knowledge", keys);
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }
}
