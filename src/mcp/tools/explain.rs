//! `explain`: the plan of a statement, and the parts of it that matter.

use rmcp::RoleServer;
use rmcp::model::{CallToolResult, JsonObject};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{ToolDescription, answer_schema, arguments, repair_schema};
use crate::limits::mcp::PLAN_NOTES_MAX;
use crate::mcp::answers::{self, error_object, repair_object};
use crate::mcp::arguments as given;
use crate::mcp::outcome::StatementOutcome;
use crate::mcp::session::McpSession;
use crate::mcp::statements::StatementAction;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExplainArguments {
    sql: String,
}

/// What it says of itself.
pub fn description() -> ToolDescription {
    ToolDescription {
        title: "Explain a statement",
        about: "Answers the database's plan of a statement as JSON, without running it, and names \
            the parts that cost most. Use it before a statement over large relations.",
        input: arguments(
            json!({ "sql": { "type": "string", "description": "One SELECT, in PostgreSQL." } }),
            &["sql"],
        ),
        output: answer_schema(json!({
            "total_cost": { "type": "number", "description": "In the planner's own unit." },
            "estimated_rows": { "type": "number" },
            "notes": {
                "type": "array",
                "items": { "type": "string" },
                "description": "The parts that cost most, dearest first."
            },
            "plan": { "type": "object" },
            "repaired": repair_schema()
        })),
    }
}

/// Answers a call.
pub async fn call(
    session: &McpSession,
    arguments: Option<JsonObject>,
    context: &RequestContext<RoleServer>,
) -> CallToolResult {
    let sql = match given::read(arguments) {
        Ok(ExplainArguments { sql }) => sql,
        Err(why) => return answers::wrong(&why),
    };
    let text = format!("EXPLAIN (FORMAT JSON) {sql}");
    match session.send((StatementAction::Run, &text), context).await {
        Ok(outcome) => of_outcome(&outcome),
        Err(fault) => answers::lost(&fault),
    }
}

fn of_outcome(outcome: &StatementOutcome) -> CallToolResult {
    let mut told = Map::new();
    if let Some(repair) = &outcome.repair {
        told.insert("repaired".into(), repair_object(repair));
    }
    if let Some(error) = &outcome.error {
        told.insert("error".into(), error_object(error));
        return CallToolResult::structured_error(Value::Object(told));
    }
    let Some(plan) = plan_of(outcome) else {
        return answers::failed("22032", "the database answered no plan");
    };
    told.insert("notes".into(), notes(&plan).into());
    for (name, key) in [("total_cost", TOTAL_COST), ("estimated_rows", PLAN_ROWS)] {
        if let Some(number) = plan.get(key) {
            told.insert(name.into(), number.clone());
        }
    }
    told.insert("plan".into(), plan);
    answers::answer(Value::Object(told))
}

/// The top of the plan.
fn plan_of(outcome: &StatementOutcome) -> Option<Value> {
    let lines = outcome.result.rows.iter().flatten().flatten();
    let lines: Vec<&str> = lines.map(String::as_str).collect();
    let mut plans: Value = serde_json::from_str(&lines.join("\n")).ok()?;
    let plan = plans.get_mut(0)?.get_mut("Plan")?;
    Some(plan.take())
}

/// One part of a plan, and what it costs without what it reads from.
struct PlanPart<'p> {
    node: &'p Map<String, Value>,
    own_cost: f64,
}

/// The parts that cost most, in words.
fn notes(plan: &Value) -> Vec<String> {
    let mut parts = Vec::new();
    let mut waiting = vec![plan];
    while let Some(node) = waiting.pop() {
        let Value::Object(node) = node else {
            continue;
        };
        let below = node.get("Plans").and_then(Value::as_array);
        let below: Vec<&Value> = below.into_iter().flatten().collect();
        let costs = below.iter().map(|part| number(part.get(TOTAL_COST)));
        let own_cost = (number(node.get(TOTAL_COST)) - costs.sum::<f64>()).max(0.0);
        parts.push(PlanPart { node, own_cost });
        waiting.extend(below);
    }
    let whole: f64 = parts.iter().map(|part| part.own_cost).sum();
    parts.sort_by(|one, other| other.own_cost.total_cmp(&one.own_cost));
    let dear = parts
        .iter()
        .filter(|part| part.own_cost > whole * NOTED_SHARE);
    let told = dear.take(PLAN_NOTES_MAX);
    told.map(|part| part.sentence(whole)).collect()
}

impl PlanPart<'_> {
    fn sentence(&self, whole: f64) -> String {
        let text = |key: &str| self.node.get(key).and_then(Value::as_str);
        let mut sentence = text("Node Type").unwrap_or("A step").to_owned();
        if let Some(relation) = text("Relation Name") {
            sentence.push_str(&format!(" on {relation}"));
        }
        if let Some(index) = text("Index Name") {
            sentence.push_str(&format!(" by {index}"));
        }
        let share = self.own_cost / whole * 100.0;
        let rows = number(self.node.get(PLAN_ROWS));
        sentence.push_str(&format!(": {share:.0} % of the cost, about {rows:.0} rows"));
        if let Some(filter) = text("Filter") {
            sentence.push_str(&format!(", every row held against {filter}"));
        }
        sentence
    }
}

fn number(value: Option<&Value>) -> f64 {
    value.and_then(Value::as_f64).unwrap_or(0.0)
}

const TOTAL_COST: &str = "Total Cost";

const PLAN_ROWS: &str = "Plan Rows";

/// Parts that cost less of the whole are not worth a word.
const NOTED_SHARE: f64 = 0.05;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dearest_parts_are_told_first() {
        let plan = json!({
            "Node Type": "Aggregate", "Total Cost": 110.0, "Plan Rows": 1,
            "Plans": [{
                "Node Type": "Hash Join", "Total Cost": 100.0, "Plan Rows": 50,
                "Plans": [
                    {
                        "Node Type": "Seq Scan", "Relation Name": "orders", "Total Cost": 70.0,
                        "Plan Rows": 400, "Filter": "(total > '5'::numeric)"
                    },
                    { "Node Type": "Hash", "Total Cost": 1.0, "Plan Rows": 3 }
                ]
            }]
        });
        assert_eq!(
            notes(&plan),
            [
                "Seq Scan on orders: 64 % of the cost, about 400 rows, every row held against \
                 (total > '5'::numeric)",
                "Hash Join: 26 % of the cost, about 50 rows",
                "Aggregate: 9 % of the cost, about 1 rows",
            ]
        );
        assert!(notes(&json!({"Node Type": "Result", "Total Cost": 0.0})).is_empty());
        assert!(notes(&json!(3)).is_empty());
    }
}
