//! Schemas, and questions with the relations and columns that the right SQL needs. The files of
//! `tests/data/grounding` explain themselves by their README.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use pgsieve::grounding::document::GroundedForeignKey;
use pgsieve::grounding::{GroundedColumn, GroundedRelation, Grounding};

/// A schema and what is asked of it.
pub struct QuestionedSchema {
    /// The file's name without its ending.
    pub name: String,
    /// The schema, as a session sees it that may read all of it.
    pub grounding: Grounding,
    /// The questions.
    pub questions: Vec<DatasetQuestion>,
}

/// A question.
pub struct DatasetQuestion {
    /// The schema's name and the question's number.
    pub id: String,
    /// The question as a person asks it.
    pub text: String,
    /// The columns that the right SQL needs, by the relation's name with its schema.
    pub gold: BTreeMap<String, BTreeSet<String>>,
}

impl DatasetQuestion {
    /// Whether it may be looked at while the retrieval is tuned. A third may not.
    pub fn is_seen(&self) -> bool {
        let hash = self
            .id
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        (hash >> 17) % 3 != 0
    }
}

/// All schemas, by name.
pub fn schemas() -> Vec<QuestionedSchema> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/grounding");
    let files = fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|file| file.extension().is_some_and(|ending| ending == "schema"))
        .collect();
    files.sort();
    let read = files.iter().map(|file| {
        let name = file.file_stem().unwrap().to_string_lossy();
        read_schema(&name, &fs::read_to_string(file).unwrap())
    });
    read.collect()
}

/// Reads a file.
pub fn read_schema(name: &str, text: &str) -> QuestionedSchema {
    let (mut relations, mut questions) = (Vec::new(), Vec::<DatasetQuestion>::new());
    let mut has_keys = true;
    for line in text.lines().filter(|line| !line.is_empty()) {
        match line.split_once(' ') {
            Some(("?", text)) => questions.push(DatasetQuestion {
                id: format!("{name}#{}", questions.len() + 1),
                text: text.to_owned(),
                gold: BTreeMap::new(),
            }),
            Some(("=", gold)) => questions.last_mut().unwrap().gold = read_gold(gold),
            Some(("+", rule)) => relations.extend(beside(&relations, rule)),
            Some(("+copy", rule)) => relations.extend(copies(&relations, rule)),
            None if line == "nokeys" => has_keys = false,
            _ => relations.push(read_relation(line)),
        }
    }
    let keys: BTreeMap<String, String> = relations
        .iter()
        .filter_map(|one| Some((one.qualified_name(), one.primary_key.first()?.clone())))
        .collect();
    for relation in &mut relations {
        for key in &mut relation.foreign_keys {
            let to = keys
                .get(&key.to)
                .unwrap_or_else(|| panic!("{name}: {}", key.to));
            key.to_columns = vec![to.clone()];
        }
        if !has_keys {
            relation.foreign_keys.clear();
        }
    }
    relations.sort_by(|one, two| (&one.schema, &one.name).cmp(&(&two.schema, &two.name)));
    let schema = QuestionedSchema {
        name: name.to_owned(),
        grounding: Grounding {
            database: name.to_owned(),
            relations,
            ..Grounding::default()
        },
        questions,
    };
    schema.check();
    schema
}

impl QuestionedSchema {
    /// Whatever is named exists, and no name twice.
    fn check(&self) {
        let mut columns = BTreeMap::new();
        for relation in &self.grounding.relations {
            let all = relation.columns.iter().map(|column| column.name.clone());
            let all: BTreeSet<String> = all.collect();
            let name = relation.qualified_name();
            assert_eq!(all.len(), relation.columns.len(), "{}: {name}", self.name);
            let before = columns.insert(name, all);
            assert!(before.is_none(), "{}: {} twice", self.name, relation.name);
        }
        for question in &self.questions {
            assert!(!question.gold.is_empty(), "{}", question.id);
            for (relation, named) in &question.gold {
                let known = columns.get(relation);
                let known = known.unwrap_or_else(|| panic!("{}: {relation}", question.id));
                let unknown: Vec<_> = named.difference(known).collect();
                assert!(
                    unknown.is_empty(),
                    "{}: {relation}: {unknown:?}",
                    question.id
                );
            }
        }
    }
}

/// `orders(id placed_at) customers(id)`
fn read_gold(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let relations = text.split(')').map(str::trim).filter(|one| !one.is_empty());
    let read = relations.map(|one| {
        let (name, columns) = one.split_once('(').unwrap();
        let columns = columns.split(' ').filter(|column| !column.is_empty());
        (qualified(name), columns.map(str::to_owned).collect())
    });
    read.collect()
}

/// `orders "What was sold" = id*, customer_id>customers, placed_at, state{open|paid}, total:n`
fn read_relation(line: &str) -> GroundedRelation {
    let (head, columns) = line.split_once(" = ").unwrap_or_else(|| panic!("{line}"));
    let (name, comment) = match head.split_once(' ') {
        Some((name, comment)) => (name, Some(comment.trim_matches('"').to_owned())),
        None => (head, None),
    };
    let (schema, name) = name.split_once('.').unwrap_or(("public", name));
    let mut relation = GroundedRelation {
        schema: schema.to_owned(),
        name: name.to_owned(),
        kind: "table",
        comment,
        ..GroundedRelation::default()
    };
    for column in columns.split(", ") {
        add_column(&mut relation, column);
    }
    relation
}

fn add_column(relation: &mut GroundedRelation, text: &str) {
    let end = text.find(['*', '>', ':', '{']).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let mut column = GroundedColumn {
        name: name.to_owned(),
        type_name: usual_type(name).to_owned(),
        ..GroundedColumn::default()
    };
    if let Some(behind) = rest.strip_prefix('*') {
        relation.primary_key.push(name.to_owned());
        (column.type_name, column.not_null, rest) = ("bigint".to_owned(), true, behind);
    }
    if let Some(to) = rest.strip_prefix('>') {
        column.type_name = "bigint".to_owned();
        relation.foreign_keys.push(GroundedForeignKey {
            columns: vec![name.to_owned()],
            to: qualified(to),
            to_columns: Vec::new(),
        });
    } else if let Some(labels) = rest.strip_prefix('{') {
        let labels = labels.trim_end_matches('}').split('|');
        column.labels = labels.map(str::to_owned).collect();
        column.type_name = format!("{}_{name}", relation.name);
    } else if let Some(letter) = rest.strip_prefix(':') {
        column.type_name = type_named(letter).to_owned();
    }
    relation.columns.push(column);
}

/// `history "Earlier states of {}" = valid_from:t @ orders customers`: a relation beside each.
fn beside(relations: &[GroundedRelation], rule: &str) -> Vec<GroundedRelation> {
    let (rule, bases) = rule.split_once(" @ ").unwrap();
    let (head, columns) = rule.split_once(" = ").unwrap();
    let made = of_bases(relations, bases).map(|base| {
        let (schema, name) = (&base.schema, &base.name);
        let (suffix, comment) = suffix_of(head, name);
        let key = base.primary_key.first().unwrap();
        let referring = match key == "id" {
            true => format!("{name}_id"),
            false => key.clone(),
        };
        read_relation(&format!(
            "{schema}.{name}_{suffix}{comment} = {suffix}_id*, \
             {referring}>{schema}.{name}, {columns}"
        ))
    });
    made.collect()
}

/// `archive "Old {}" @ orders`: a relation beside each that has its columns and no keys.
fn copies(relations: &[GroundedRelation], rule: &str) -> Vec<GroundedRelation> {
    let (head, bases) = rule.split_once(" @ ").unwrap_or_else(|| {
        let (head, bases) = rule.split_once("@ ").unwrap();
        (head.trim(), bases)
    });
    let made = of_bases(relations, bases).map(|base| {
        let (suffix, comment) = suffix_of(head, &base.name);
        let mut copy = base.clone();
        copy.name = format!("{}_{suffix}", base.name);
        copy.comment = comment.trim().split('"').nth(1).map(str::to_owned);
        copy.primary_key.clear();
        copy.foreign_keys.clear();
        copy
    });
    made.collect()
}

fn of_bases<'r>(
    relations: &'r [GroundedRelation],
    bases: &'r str,
) -> impl Iterator<Item = &'r GroundedRelation> {
    bases.split(' ').map(|base| {
        let name = qualified(base);
        let mut all = relations.iter();
        let found = all.find(|relation| relation.qualified_name() == name);
        found.unwrap_or_else(|| panic!("{name}"))
    })
}

/// The suffix of a name, and the comment with a space before it.
fn suffix_of(head: &str, base: &str) -> (String, String) {
    match head.split_once(' ') {
        Some((suffix, comment)) => {
            let comment = comment.replace("{}", &base.replace('_', " "));
            (suffix.to_owned(), format!(" {comment}"))
        }
        None => (head.to_owned(), String::new()),
    }
}

fn qualified(name: &str) -> String {
    match name.contains('.') {
        true => name.to_owned(),
        false => format!("public.{name}"),
    }
}

fn type_named(letter: &str) -> &'static str {
    match letter {
        "n" => "numeric",
        "i" => "integer",
        "d" => "date",
        "t" => "timestamp with time zone",
        "b" => "boolean",
        "c" => "character varying",
        other => panic!("no type {other}"),
    }
}

fn usual_type(name: &str) -> &'static str {
    let has = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    if has(&["_at", "_ts"]) {
        "timestamp with time zone"
    } else if has(&["_date", "_dt", "_on"]) {
        "date"
    } else if name.starts_with("is_") || name.starts_with("has_") {
        "boolean"
    } else {
        "text"
    }
}
