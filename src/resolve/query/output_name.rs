//! The name that Postgres gives to a column of a result that has no alias: that of the column, of
//! the function or of the construct; that of a cast's type where there is nothing better.

use crate::{Analysis, SqlName};
use sql::tree::{
    A_Expr_Kind, CoercionForm, ConstValue, JsonExprOp, MinMaxOp, Node, SQLValueFunctionOp,
    SubLinkType, XmlExprOp, list, nodes,
};

impl<'a> Analysis<'a> {
    /// The name that Postgres gives to a column of a result that has no alias. The expression has
    /// been analysed before.
    pub fn output_name(&self, node: Node<'a>) -> SqlName<'a> {
        let mut node = node;
        let mut around: Option<SqlName<'a>> = None;
        // Casts, COLLATE, subscripts and CASE pass the question on; what they would be called
        // themselves counts only where nothing inside has a name.
        let own = loop {
            node = match node {
                Node::TypeCast(cast) => {
                    let own = cast
                        .type_name()
                        .and_then(|name| name.names().iter().next_back()?.sval());
                    around = around.or_else(|| own.map(SqlName::from));
                    cast.arg()
                }
                Node::CaseExpr(case) => {
                    around = around.or(Some("case".into()));
                    case.defresult()
                }
                Node::CollateClause(collate) => collate.arg(),
                Node::A_Const(constant) if self.is_cast_to_boolean(constant) => {
                    around = around.or(Some("bool".into()));
                    Node::None
                }
                Node::A_Indirection(of) => match last(of.indirection()) {
                    Some(field) => break Some(field.into()),
                    None => of.arg(),
                },
                other => break self.own_name(other),
            };
        };
        own.or(around).unwrap_or(NAMELESS.into())
    }

    fn own_name(&self, node: Node<'a>) -> Option<SqlName<'a>> {
        let name = match node {
            Node::ColumnRef(reference) => last(reference.fields()),
            Node::FuncCall(call) if self.is_date_part(call) => Some("date_part"),
            Node::FuncCall(call) => last(call.funcname()),
            Node::SubLink(link) => return self.name_of_sub_select(link),
            other => of_construct(other).or_else(|| of_json(other)),
        };
        name.map(SqlName::from)
    }

    /// Servers before 15 read `true` as `'t'::bool`.
    fn is_cast_to_boolean(&self, constant: &nodes::A_Const) -> bool {
        self.catalog.server_major() < 15 && matches!(constant.val(), Some(ConstValue::Boolean(_)))
    }

    /// Servers before 14 read `extract(f FROM x)` as a call of `date_part`.
    fn is_date_part(&self, call: &nodes::FuncCall) -> bool {
        self.catalog.server_major() < 14
            && call.funcformat == CoercionForm::COERCE_SQL_SYNTAX
            && last(call.funcname()) == Some("extract")
    }

    fn name_of_sub_select(&self, link: &'a nodes::SubLink) -> Option<SqlName<'a>> {
        match (link.sub_link_type, link.subselect()) {
            (SubLinkType::EXISTS_SUBLINK, _) => Some("exists".into()),
            (SubLinkType::ARRAY_SUBLINK, _) => Some("array".into()),
            (SubLinkType::EXPR_SUBLINK, Node::SelectStmt(select)) => self.first_name(select),
            _ => None,
        }
    }
}

/// The last name in a list; stars and subscripts are none.
fn last(list: &list::NodeList) -> Option<&str> {
    list.iter().filter_map(Node::as_str).next_back()
}

fn of_construct(node: Node<'_>) -> Option<&'static str> {
    match node {
        Node::A_Expr(operator) if operator.kind == A_Expr_Kind::AEXPR_NULLIF => Some("nullif"),
        Node::A_ArrayExpr(_) => Some("array"),
        Node::RowExpr(_) => Some("row"),
        Node::CoalesceExpr(_) => Some("coalesce"),
        Node::GroupingFunc(_) => Some("grouping"),
        Node::MergeSupportFunc(_) => Some("merge_action"),
        Node::MinMaxExpr(extreme) => Some(match extreme.op {
            MinMaxOp::IS_GREATEST => "greatest",
            _ => "least",
        }),
        Node::SQLValueFunction(value) => of_value_function(value.op),
        Node::XmlExpr(xml) => match xml.op {
            XmlExprOp::IS_XMLCONCAT => Some("xmlconcat"),
            XmlExprOp::IS_XMLELEMENT => Some("xmlelement"),
            XmlExprOp::IS_XMLFOREST => Some("xmlforest"),
            XmlExprOp::IS_XMLPARSE => Some("xmlparse"),
            XmlExprOp::IS_XMLPI => Some("xmlpi"),
            XmlExprOp::IS_XMLROOT => Some("xmlroot"),
            XmlExprOp::IS_XMLSERIALIZE => Some("xmlserialize"),
            _ => None,
        },
        Node::XmlSerialize(_) => Some("xmlserialize"),
        _ => None,
    }
}

fn of_value_function(op: SQLValueFunctionOp::Type) -> Option<&'static str> {
    Some(match op {
        SQLValueFunctionOp::SVFOP_CURRENT_DATE => "current_date",
        SQLValueFunctionOp::SVFOP_CURRENT_TIME | SQLValueFunctionOp::SVFOP_CURRENT_TIME_N => {
            "current_time"
        }
        SQLValueFunctionOp::SVFOP_CURRENT_TIMESTAMP
        | SQLValueFunctionOp::SVFOP_CURRENT_TIMESTAMP_N => "current_timestamp",
        SQLValueFunctionOp::SVFOP_LOCALTIME | SQLValueFunctionOp::SVFOP_LOCALTIME_N => "localtime",
        SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP | SQLValueFunctionOp::SVFOP_LOCALTIMESTAMP_N => {
            "localtimestamp"
        }
        SQLValueFunctionOp::SVFOP_CURRENT_ROLE => "current_role",
        SQLValueFunctionOp::SVFOP_CURRENT_USER => "current_user",
        SQLValueFunctionOp::SVFOP_USER => "user",
        SQLValueFunctionOp::SVFOP_SESSION_USER => "session_user",
        SQLValueFunctionOp::SVFOP_CURRENT_CATALOG => "current_catalog",
        SQLValueFunctionOp::SVFOP_CURRENT_SCHEMA => "current_schema",
        _ => return None,
    })
}

fn of_json(node: Node<'_>) -> Option<&'static str> {
    match node {
        Node::JsonParseExpr(_) => Some("json"),
        Node::JsonScalarExpr(_) => Some("json_scalar"),
        Node::JsonSerializeExpr(_) => Some("json_serialize"),
        Node::JsonObjectConstructor(_) => Some("json_object"),
        Node::JsonArrayConstructor(_) | Node::JsonArrayQueryConstructor(_) => Some("json_array"),
        Node::JsonObjectAgg(_) => Some("json_objectagg"),
        Node::JsonArrayAgg(_) => Some("json_arrayagg"),
        Node::JsonFuncExpr(function) => match function.op {
            JsonExprOp::JSON_EXISTS_OP => Some("json_exists"),
            JsonExprOp::JSON_QUERY_OP => Some("json_query"),
            JsonExprOp::JSON_VALUE_OP => Some("json_value"),
            _ => None,
        },
        _ => None,
    }
}

/// What a column is called that has no name.
const NAMELESS: &str = "?column?";
