//! The plan of a statement with models, as its client may see it: the nodes of the plan, the names
//! of what they read and how they are joined. Costs and counts of rows are left out, which come
//! from rows that the models leave away, and so is every condition and expression, since the
//! models' own are among them.
//!
//! The server prints a plan line by line, and in JSON, YAML and XML a value never takes more than
//! one line but in XML, where a tag that ends on another line is not taken for one. What is not
//! known to be the plan's own frame is left out.
//!
//! <https://www.postgresql.org/docs/current/using-explain.html>

use bytes::BytesMut;

use crate::gate::Certainty;
use crate::session::pending::PendingReplies;
use crate::session::server::forwarding::OwnRow;
use crate::wire::encode;
use crate::wire::frame::UpstreamHeader;

/// The row of an EXPLAIN of a statement with models, as its client may see it.
pub(in crate::session) fn redacted_plan(
    pending: &PendingReplies,
    rest: &[u8],
    header: &UpstreamHeader,
) -> OwnRow {
    let is_first = match pending.running() {
        Some(running) if running.facts.is_plan_of_models() => {
            // A portal may go on in the middle of a plan.
            running.rows == 0 && running.runs == Certainty::Certain
        }
        _ => return OwnRow::NotOwn,
    };
    let Some(row) = rest.get(..header.total) else {
        return OwnRow::Waits;
    };
    let mut told = BytesMut::new();
    if let Some(line) = value(row).and_then(|row| redacted_row(row, is_first))
        && let Ok(length) = i32::try_from(line.len())
    {
        let body = [&[0, 1][..], &length.to_be_bytes(), line.as_bytes()].concat();
        encode::error_body(&mut told, b'D', &body);
    }
    OwnRow::Told(told)
}

/// The only value of a row, which is the same text in every format.
fn value(row: &[u8]) -> Option<&str> {
    let (count, rest) = row.get(HEADER_BYTES..)?.split_first_chunk::<2>()?;
    let (_, value) = rest.split_first_chunk::<4>()?;
    let text = std::str::from_utf8(value).ok()?;
    (*count == [0, 1]).then_some(text)
}

/// What is left of one row; none where nothing is. A plan in lines begins with its first node.
fn redacted_row(row: &str, is_first: bool) -> Option<String> {
    if !row.contains('\n') {
        return text(row, is_first);
    }
    match row.as_bytes() {
        [b'[', ..] => Some(json(row)),
        [b'<', ..] => Some(kept(row, is_xml)),
        _ => Some(kept(row, is_yaml)),
    }
}

/// A line of the text format: that of a node, or of what stands over one.
fn text(line: &str, is_first: bool) -> Option<String> {
    let bare = line.trim_start();
    let end = ["  (cost=", "  (actual"]
        .into_iter()
        .filter_map(|mark| line.find(mark))
        .min();
    let told = line.get(..end.unwrap_or(line.len()))?;
    let is_root = is_first && bare.len() == line.len() && !told.contains(OF_EXPRESSIONS);
    let over = ["->  ", "InitPlan ", "SubPlan ", "CTE "];
    let is_within = bare.len() < line.len() && over.iter().any(|it| bare.starts_with(it));
    (is_root || is_within).then(|| told.to_owned())
}

fn kept(text: &str, is_kept: impl Fn(&str) -> bool) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| is_kept(line.trim())).collect();
    lines.join("\n")
}

/// JSON: commas stand where something follows in the same brackets.
fn json(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    // How many brackets are open of what is left out.
    let mut left_out: usize = 0;
    for line in text.lines() {
        let bare = line.trim().trim_end_matches(',');
        let opens = bare.ends_with(['{', '[']);
        let closes = bare.starts_with(['}', ']']);
        if left_out > 0 {
            left_out = left_out.saturating_add(usize::from(opens));
            left_out = left_out.saturating_sub(usize::from(closes));
            continue;
        }
        let key = bare
            .strip_prefix('"')
            .and_then(|rest| rest.split_once("\": "));
        match key {
            Some((key, _)) if opens && !FRAMES.contains(&key) => left_out = 1,
            Some((key, _)) if opens || KEYS.contains(&key) => lines.push(line),
            Some(_) => {}
            None if matches!(bare, "[" | "]" | "{" | "}") => lines.push(line),
            None => {}
        }
    }
    let mut told = String::with_capacity(text.len());
    for (place, line) in lines.iter().enumerate() {
        let bare = line.trim_end().trim_end_matches(',');
        told.push_str(bare);
        let next = lines
            .get(place.saturating_add(1))
            .map(|next| next.trim_start());
        let follows = next.is_some_and(|next| !next.starts_with(['}', ']']));
        if follows && !bare.ends_with(['{', '[']) {
            told.push(',');
        }
        if next.is_some() {
            told.push('\n');
        }
    }
    told
}

fn is_yaml(line: &str) -> bool {
    let bare = line.strip_prefix("- ").unwrap_or(line);
    let Some((key, value)) = bare.split_once(':') else {
        return false;
    };
    match value.trim().is_empty() {
        true => FRAMES.contains(&key),
        false => KEYS.contains(&key),
    }
}

fn is_xml(line: &str) -> bool {
    let Some(rest) = line.strip_prefix('<') else {
        return false;
    };
    if rest == "explain xmlns=\"http://www.postgresql.org/2009/explain\">" || rest == "/explain>" {
        return true;
    }
    let Some((tag, value)) = rest.split_once('>') else {
        return false;
    };
    let name = tag.strip_prefix('/').unwrap_or(tag).replace('-', " ");
    match value.is_empty() {
        true => FRAMES.contains(&&*name) || name == "Query",
        false => KEYS.contains(&&*name) && value.ends_with(&format!("</{tag}>")),
    }
}

/// A type byte and a length.
const HEADER_BYTES: usize = 5;

/// Characters of expressions, which no line of a node has but in a name.
const OF_EXPRESSIONS: [char; 7] = ['\'', '(', ')', ':', '=', '<', '>'];

/// What holds other parts.
const FRAMES: &[&str] = &["Plan", "Plans"];

/// What is told of a node.
const KEYS: &[&str] = &[
    "Alias",
    "Async Capable",
    "CTE Name",
    "Command",
    "Custom Plan Provider",
    "Disabled",
    "Function Name",
    "Index Name",
    "Inner Unique",
    "Join Type",
    "Node Type",
    "Operation",
    "Parallel Aware",
    "Parent Relationship",
    "Partial Mode",
    "Relation Name",
    "Scan Direction",
    "Schema",
    "Single Copy",
    "Strategy",
    "Subplan Name",
    "Table Function Name",
    "Tuplestore Name",
];

#[cfg(test)]
mod tests {
    use super::redacted_row;

    #[track_caller]
    fn check(rows: &[&str], wanted: &[&str]) {
        let told: Vec<String> = rows
            .iter()
            .enumerate()
            .filter_map(|(place, row)| redacted_row(row, place == 0))
            .collect();
        assert_eq!(told, wanted);
    }

    #[test]
    fn of_a_text_the_nodes_are_told() {
        check(
            &[
                "HashAggregate  (cost=57.04..57.07 rows=2 width=16)",
                "  Output: t.x, count(*), t.id",
                "  CTE z",
                "    ->  Seq Scan on public.t t_2  (cost=0.00..16.00 rows=1000 width=11)",
                "          Filter: (t_1.tenant = 'CAN",
                "RY'::text)",
                "  InitPlan 2 (returns $1)",
                "    ->  Result  (cost=0.00..0.01 rows=1 width=4)",
                "          Output: 8",
                "  Subplans Removed: 3",
                "Planning Time: 0.024 ms",
                "Settings: random_page_cost = '1.1'",
            ],
            &[
                "HashAggregate",
                "  CTE z",
                "    ->  Seq Scan on public.t t_2",
                "  InitPlan 2 (returns $1)",
                "    ->  Result",
            ],
        );
        check(&["Seq Scan on t", "  Filter: (a = 1)"], &["Seq Scan on t"]);
        check(&["RY'::text)", "[CANARY", "<CANARY>", "- CANARY: x"], &[]);
    }

    #[test]
    fn of_json_the_frame_and_its_names_are_told() {
        let row = "[\n  {\n    \"Plan\": {\n      \"Node Type\": \"Sort\",\n      \
                   \"Total Cost\": 37.17,\n      \"Sort Key\": [\"a[\", \"b {\"],\n      \
                   \"Grouping Sets\": [\n        {\n          \"Hash Keys\": [\n            \
                   [\"t.x\"]\n          ]\n        }\n      ],\n      \"Plans\": [\n        \
                   {\n          \"Node Type\": \"Seq Scan\",\n          \"Alias\": \"t\",\n          \
                   \"Filter\": \"(a = 'CAN\\\"A\\nRY, {'::text)\"\n        },\n        {\n          \
                   \"Node Type\": \"Result\"\n        }\n      ]\n    },\n    \
                   \"Settings\": {\n      \"x\": \"1\"\n    },\n    \"Planning Time\": 0.1\n  }\n]";
        let told = redacted_row(row, true).unwrap();
        let read: serde_json::Value = serde_json::from_str(&told).expect(&told);
        let plan = &read[0]["Plan"];
        assert_eq!(plan["Node Type"], "Sort");
        assert_eq!(plan["Plans"][0]["Alias"], "t");
        assert_eq!(plan["Plans"][1]["Node Type"], "Result");
        for word in ["CAN", "Cost", "Key", "Filter", "Settings", "Time"] {
            assert!(!told.contains(word), "{told}");
        }
    }

    #[test]
    fn of_yaml_and_xml_the_same() {
        check(
            &[
                "- Plan:\n    Node Type: \"Sort\"\n    Total Cost: 18.54\n    Sort Key:\n      \
               - \"CANARY\"\n    Plans:\n      - Node Type: \"Seq Scan\"\n        \
               Alias: \"t\"\n        Filter: \"(a = 'CANARY: x')\"\n  Planning Time: 1",
            ],
            &[
                "- Plan:\n    Node Type: \"Sort\"\n    Plans:\n      - Node Type: \"Seq Scan\"\n        \
               Alias: \"t\"",
            ],
        );
        check(
            &[
                "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n    \
               <Plan>\n      \
               <Node-Type>Seq Scan</Node-Type>\n      <Total-Cost>1</Total-Cost>\n      \
               <Filter>(a = 'CAN\n<explain CANARY\nAlias CANARY</Filter>\n      <Sort-Key>\n  \
               <Item>CANARY</Item>\n      </Sort-Key>\n    </Plan>\n  </Query>\n</explain>",
            ],
            &[
                "<explain xmlns=\"http://www.postgresql.org/2009/explain\">\n  <Query>\n    \
               <Plan>\n      \
               <Node-Type>Seq Scan</Node-Type>\n    </Plan>\n  </Query>\n</explain>",
            ],
        );
    }
}
