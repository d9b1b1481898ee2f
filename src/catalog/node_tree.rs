//! What an expression that the server keeps runs, read from its `pg_node_tree` text.
//!
//! The text is a tree in tokens: `{LABEL :field value …}`, lists in parentheses, bytes of constants
//! in brackets. A token that begins with a colon names a field, and what follows up to the next one
//! is its value. A name that a user chose may begin with a colon too; it then stands where a value
//! is due, and is always followed by the next field, so that it takes nothing away from any.
//!
//! Fields are told by how their names end: a field of a later server that names a function ends
//! like those of today. Collecting too much costs nothing, since what is built in is clean.
//!
//! <https://www.postgresql.org/docs/current/rules-views.html>

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Oid, unreadable_names};

/// What a stored expression or query names, by the server's oids, each once and in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StoredReferences {
    /// Functions that it calls, those behind operators and aggregates included.
    pub functions: Box<[Oid]>,
    /// Operators that it names, those for sorting and grouping included.
    pub operators: Box<[Oid]>,
    /// Relations that it reads.
    pub relations: Box<[Oid]>,
    /// Types that it converts to or handles.
    pub types: Box<[Oid]>,
    /// Those of the types whose values it may make: all but the types of columns.
    pub made_types: Box<[Oid]>,
    /// Whether it does more than read: locks rows, or is (BEGIN ATOMIC) another command.
    pub writes: bool,
}

impl StoredReferences {
    /// Reads one tree. Any text has an answer; what is no tree names nothing, and what could not be
    /// read may do anything.
    pub fn read(node_tree: &str) -> Self {
        let mut found = CollectedReferences {
            writes: unreadable_names::is_kept(node_tree),
            ..CollectedReferences::default()
        };
        found.read(node_tree);
        found.finish()
    }

    /// All that several of them name.
    pub fn join(all: impl IntoIterator<Item = Self>) -> Self {
        let mut found = CollectedReferences::default();
        for one in all {
            found.functions.extend(one.functions);
            found.operators.extend(one.operators);
            found.relations.extend(one.relations);
            found.types.extend(one.types);
            found.made_types.extend(one.made_types);
            found.writes |= one.writes;
        }
        found.finish()
    }

    /// Whether it names nothing that could run anything.
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
            && self.operators.is_empty()
            && self.relations.is_empty()
            && self.types.is_empty()
            && !self.writes
    }
}

/// What a tree names, as it is found.
#[derive(Default)]
struct CollectedReferences {
    functions: Vec<Oid>,
    operators: Vec<Oid>,
    relations: Vec<Oid>,
    types: Vec<Oid>,
    made_types: Vec<Oid>,
    writes: bool,
}

impl CollectedReferences {
    fn read(&mut self, text: &str) {
        let mut field = NodeTreeField::Other;
        let mut after_brace = false;
        // For each node that is open, whether it takes a value for one of another type.
        let mut open: Vec<bool> = Vec::new();
        // A tree has a few dozen names of fields, each of them thousands of times.
        let mut fields: HashMap<&[u8], NodeTreeField, RandomState> = HashMap::default();
        for token in NodeTreeTokens::of(text) {
            let labels = std::mem::replace(&mut after_brace, token == b"{");
            match token {
                b"{" => {
                    field = NodeTreeField::Other;
                    open.push(false);
                }
                b"}" => {
                    field = NodeTreeField::Other;
                    open.pop();
                }
                b"(" | b")" => {}
                [b':', name @ ..] => {
                    let named = fields.entry(name);
                    field = match *named.or_insert_with(|| NodeTreeField::named(name)) {
                        NodeTreeField::Type if open.last() == Some(&true) => {
                            NodeTreeField::ColumnType
                        }
                        other => other,
                    };
                }
                label if labels => {
                    self.writes |= LOCKS_ROWS.contains(&label);
                    if let Some(relabels) = open.last_mut() {
                        *relabels = label == RELABELS;
                    }
                }
                value => self.value(field, value),
            }
        }
    }

    fn value(&mut self, field: NodeTreeField, value: &[u8]) {
        if field == NodeTreeField::Other {
            return;
        }
        let number = std::str::from_utf8(value)
            .ok()
            .and_then(|text| text.parse().ok());
        let Some(number) = number.filter(|number| *number != 0) else {
            return;
        };
        let oid = Oid(number);
        match field {
            NodeTreeField::Function => self.functions.push(oid),
            NodeTreeField::Operator => self.operators.push(oid),
            NodeTreeField::Relation => self.relations.push(oid),
            NodeTreeField::ColumnType => self.types.push(oid),
            NodeTreeField::Type => {
                self.types.push(oid);
                self.made_types.push(oid);
            }
            NodeTreeField::Command => self.writes |= number != COMMAND_SELECT,
            NodeTreeField::Other => {}
        }
    }

    fn finish(self) -> StoredReferences {
        let distinct = |mut oids: Vec<Oid>| {
            oids.sort_unstable();
            oids.dedup();
            oids.into_boxed_slice()
        };
        StoredReferences {
            functions: distinct(self.functions),
            operators: distinct(self.operators),
            relations: distinct(self.relations),
            types: distinct(self.types),
            made_types: distinct(self.made_types),
            writes: self.writes,
        }
    }
}

/// What the numbers in a field are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NodeTreeField {
    Function,
    Operator,
    Relation,
    /// The type of a value that was there before.
    ColumnType,
    Type,
    /// What kind of statement a query is.
    Command,
    Other,
}

impl NodeTreeField {
    fn named(name: &[u8]) -> Self {
        let ends = |endings: &[&[u8]]| endings.iter().any(|ending| ends_with(name, ending));
        if name == b"commandType" {
            Self::Command
        } else if COLUMN_TYPES.contains(&name) {
            Self::ColumnType
        } else if ends(FUNCTIONS) {
            Self::Function
        } else if ends(OPERATORS) {
            Self::Operator
        } else if ends(TYPES) {
            Self::Type
        } else if ends(RELATIONS) {
            Self::Relation
        } else {
            Self::Other
        }
    }
}

/// Whether a name ends so, in whatever case: servers spell `funcid` and `startInRangeFunc`.
fn ends_with(name: &[u8], ending: &[u8]) -> bool {
    let start = name.len().checked_sub(ending.len());
    let end = start.and_then(|start| name.get(start..));
    end.is_some_and(|end| end.eq_ignore_ascii_case(ending))
}

/// The tokens of a tree, cut as `pg_strtok` in the server's read.c cuts them.
struct NodeTreeTokens<'a> {
    rest: &'a [u8],
}

impl<'a> NodeTreeTokens<'a> {
    fn of(text: &'a str) -> Self {
        Self {
            rest: text.as_bytes(),
        }
    }
}

impl<'a> Iterator for NodeTreeTokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let start = self.rest.iter().position(|byte| !is_space(*byte))?;
        let text = self.rest.get(start..)?;
        let mut end = 0;
        while let Some(byte) = text.get(end) {
            match byte {
                b'(' | b')' | b'{' | b'}' => {
                    end = end.max(1);
                    break;
                }
                b'\\' => end += 2,
                byte if is_space(*byte) => break,
                _ => end += 1,
            }
        }
        let (token, rest) = text.split_at_checked(end).unwrap_or((text, &[]));
        self.rest = rest;
        Some(token)
    }
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t')
}

/// How fields that name functions end: `funcid`, `opfuncid`, `hashfuncid`, `aggfnoid`, `winfnoid`,
/// `tsmhandler`, `startInRangeFunc`.
const FUNCTIONS: &[&[u8]] = &[b"funcid", b"fnoid", b"func", b"handler", b"proc", b"procid"];

/// How fields that name operators end: `opno`, `opnos`, `eqop`, `sortop`, `cycle_mark_neop`.
const OPERATORS: &[&[u8]] = &[b"opno", b"opnos", b"op", b"ops", b"operator"];

/// How fields that name types end: `resulttype`, `coltypes`, `row_typeid`, `typid`.
const TYPES: &[&[u8]] = &[b"type", b"types", b"typeid", b"typid"];

/// How fields that name relations end: `relid`.
const RELATIONS: &[&[u8]] = &[b"relid", b"relids"];

/// Fields with the types of values that were there before: columns, and what queries inside hand
/// out, whose making is named inside.
const COLUMN_TYPES: &[&[u8]] = &[b"vartype", b"ctecoltypes", b"colTypes"];

/// The labels of FOR UPDATE and its kin.
const LOCKS_ROWS: &[&[u8]] = &[b"ROWMARKCLAUSE"];

/// The label of what takes a value as it is for one of another type: nothing is run for it.
const RELABELS: &[u8] = b"RELABELTYPE";

/// `CMD_SELECT` in nodes.h, the same in all versions.
const COMMAND_SELECT: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn oids(numbers: &[u32]) -> Box<[Oid]> {
        numbers.iter().copied().map(Oid).collect()
    }

    /// `SELECT lower(t.a) = 'x' FROM t` in a shortened tree of version 15.
    const TREE: &str = "({QUERY :commandType 1 :querySource 0 :rtable ({RTE :alias {ALIAS \
        :aliasname :funcid :colnames (\"\\:opno\" \"a\\ :opno\\ 7\")} :rtekind 0 :relid 20001 \
        :inh true}) :targetList ({TARGETENTRY :expr {OPEXPR :opno 98 :opfuncid 67 \
        :opresulttype 16 :opretset false :args ({FUNCEXPR :funcid 870 :funcresulttype 25 :args \
        ({VAR :varno 1 :vartype 17000 :vartypmod -1})} {CONST :consttype 25 :constisnull false \
        :constvalue 5 [ 20 0 0 0 98 ]}) :location 12} :resname :funcid :ressortgroupref 0}) \
        :rowMarks <>})";

    #[test]
    fn names_and_constants_are_not_taken_for_fields() {
        let stored = StoredReferences::read(TREE);
        assert_eq!(stored.functions, oids(&[67, 870]));
        assert_eq!(stored.operators, oids(&[98]));
        assert_eq!(stored.relations, oids(&[20001]));
        assert_eq!(stored.types, oids(&[16, 25, 17000]));
        assert_eq!(stored.made_types, oids(&[16, 25]));
        assert!(!stored.writes && !stored.is_empty());
    }

    #[test]
    fn lists_of_oids_count_one_by_one() {
        let stored = StoredReferences::read(
            "{ROWCOMPAREEXPR :rctype 1 :opnos (o 96 20002) :coltypes (o 23 20003) :x 5}",
        );
        assert_eq!(stored.operators, oids(&[96, 20002]));
        assert_eq!(stored.made_types, oids(&[1, 23, 20003]));
    }

    #[test]
    fn what_is_taken_for_another_type_is_not_made() {
        let stored = StoredReferences::read(
            "{RELABELTYPE :arg {COERCEVIAIO :arg {CONST :consttype 25} :resulttype 26} \
             :resulttype 2206 :resulttypmod -1}",
        );
        assert_eq!(stored.types, oids(&[25, 26, 2206]));
        assert_eq!(stored.made_types, oids(&[25, 26]));
    }

    #[test]
    fn row_locks_and_other_commands_are_no_reads() {
        assert!(
            StoredReferences::read("{QUERY :rowMarks ({ROWMARKCLAUSE :rti 1 :strength 4})}").writes
        );
        assert!(StoredReferences::read("{QUERY :commandType 3}").writes);
        assert!(!StoredReferences::read("{QUERY :commandType 1 :rowMarks <>}").writes);
        assert!(!StoredReferences::read("{ALIAS :aliasname ROWMARKCLAUSE}").writes);
    }

    #[test]
    fn several_join_into_one_without_repeats() {
        let (one, other) = (
            StoredReferences::read("{A :funcid 7 :opno 3}"),
            StoredReferences::read("{A :funcid 5 :relid 9}"),
        );
        let joined = StoredReferences::join([one.clone(), other, one]);
        assert_eq!(joined.functions, oids(&[5, 7]));
        assert!(StoredReferences::join([]).is_empty());
    }

    #[test]
    fn any_text_has_an_answer() {
        for end in 0..TREE.len() {
            if let (Some(start), Some(rest)) = (TREE.get(..end), TREE.get(end..)) {
                let both = StoredReferences::join([
                    StoredReferences::read(start),
                    StoredReferences::read(rest),
                ]);
                assert!(both.functions.len() <= 3, "{end}");
            }
        }
        for text in [
            "",
            "\\",
            "(",
            ":",
            "{ :funcid",
            ":funcid -1 0 99999999999 é",
            "}}}}((",
            ":funcid \\",
        ] {
            assert!(StoredReferences::read(text).is_empty(), "{text}");
        }
    }
}
