//! What lints know of a database beside its catalog: what a grounding tells of it, too, and the
//! checks of its columns.

use std::collections::{BTreeMap, BTreeSet};

use catalog::{Oid, RolePrivileges};
use ground::limits::lints::LINT_CHECK_BYTES_MAX;
use resolve::LookupContext;
use sql::node_access::constant_text;
use sql::tree::{self, A_Expr_Kind, BoolExprType, Node};

/// A database that statements are linted for.
pub struct LintDatabase<'a> {
    /// Where names are looked up.
    pub lookup: LookupContext<'a>,
    /// What the author of the texts may read there.
    pub rights: RolePrivileges<'a>,
    /// What else is known of it.
    pub facts: &'a DatabaseFacts,
}

/// What is known of a database beside its catalog. What is missing is not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DatabaseFacts {
    /// The labels of enumerations, by the oid of the type.
    pub enum_labels: BTreeMap<Oid, Vec<String>>,
    /// The columns that are the first of an index, by the oid of the relation and the number of the
    /// column.
    pub indexed_columns: BTreeSet<(Oid, i16)>,
    /// The columns of unique indexes over whole relations, by the oid of the relation.
    pub unique_indexes: BTreeMap<Oid, Vec<Vec<i16>>>,
    /// The texts that a check lets a column have, by the oid of the relation and the number of the
    /// column.
    pub value_lists: BTreeMap<(Oid, i16), Vec<String>>,
}

impl DatabaseFacts {
    /// Notes the check of one column as the server prints it (`pg_get_expr`), where it is a list of
    /// texts.
    pub fn add_check(&mut self, relation: Oid, column: i16, expression: &str) {
        if let Some(values) = listed_texts(expression) {
            self.value_lists.insert((relation, column), values);
        }
    }
}

/// The texts of `column = ANY (ARRAY['a', 'b'])`, `column IN ('a', 'b')` and
/// `column = 'a' OR column = 'b'`.
fn listed_texts(expression: &str) -> Option<Vec<String>> {
    let text = format!("SELECT {expression}");
    sql::prescan::prescan(&text, LINT_CHECK_BYTES_MAX).ok()?;
    let parsed = tree::parse(&text).ok()?;
    let statement = parsed.statements().next()?;
    let Node::SelectStmt(select) = statement.node else {
        return None;
    };
    let condition = select.target_list().iter().next()?.val();
    let mut values = Vec::new();
    let mut waiting = vec![condition];
    while let Some(node) = waiting.pop() {
        match node {
            Node::BoolExpr(or) if or.boolop == BoolExprType::OR_EXPR => waiting.extend(or.args()),
            Node::A_Expr(comparison) => {
                let name = sql::node_access::last_name(comparison.name())?;
                if name != "=" || !matches!(uncast(comparison.lexpr()), Node::ColumnRef(_)) {
                    return None;
                }
                values.extend(match (comparison.kind, uncast(comparison.rexpr())) {
                    (A_Expr_Kind::AEXPR_OP, one) => vec![text_of(one)?],
                    (A_Expr_Kind::AEXPR_OP_ANY, Node::A_ArrayExpr(array)) => {
                        texts_of(array.elements().iter())?
                    }
                    (A_Expr_Kind::AEXPR_IN, Node::NodeList(list)) => texts_of(list.iter())?,
                    _ => return None,
                });
            }
            _ => return None,
        }
    }
    Some(values)
}

fn texts_of<'a>(nodes: impl Iterator<Item = Node<'a>>) -> Option<Vec<String>> {
    nodes.map(text_of).collect()
}

fn text_of(node: Node<'_>) -> Option<String> {
    constant_text(uncast(node)).map(str::to_owned)
}

/// What is cast.
pub(crate) fn uncast(mut node: Node<'_>) -> Node<'_> {
    while let Node::TypeCast(cast) = node {
        node = cast.arg();
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checks_that_are_lists_are_read() {
        let check = |expression: &str, wanted: Option<&[&str]>| {
            let mut found = listed_texts(expression);
            if let Some(found) = &mut found {
                found.sort();
            }
            let wanted = wanted.map(|all| all.iter().map(|one| (*one).to_owned()).collect());
            assert_eq!(found, wanted, "{expression}");
        };
        let ab: Option<&[&str]> = Some(&["a", "b"]);
        check("(m = ANY (ARRAY['a'::text, 'b'::text]))", ab);
        check(
            "((m)::text = ANY ((ARRAY['a'::character varying, 'b'::character varying])::text[]))",
            ab,
        );
        check("((m = 'a'::text) OR (m = 'b'::text))", ab);
        check("(m = 'a'::text)", Some(&["a"]));
        check("(m IN ('a', 'b'))", ab);
        for other in [
            "(n > 0)",
            "(m <> 'a'::text)",
            "((m = 'a'::text) AND (m = 'b'::text))",
            "((m = 'a'::text) OR (n > 0))",
            "(lower(m) = 'a'::text)",
            "(m = n)",
            "(m = 1)",
            "(",
            "1; SELECT 2",
        ] {
            check(other, None);
        }
    }
}
