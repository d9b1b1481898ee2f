//! What the planner expects of a statement, read from the beginning of its plan as JSON. Only the
//! top node counts: its numbers include what is below it.

/// What a statement is expected to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlanEstimate {
    /// Its total cost, in the planner's units.
    pub cost: f64,
    /// The rows that it returns.
    pub rows: f64,
}

impl PlanEstimate {
    /// The more of each.
    pub fn max(self, other: Self) -> Self {
        Self {
            cost: self.cost.max(other.cost),
            rows: self.rows.max(other.rows),
        }
    }

    /// Reads the body of the row that an EXPLAIN answers with, of which the end may be missing.
    pub fn read(row: &[u8]) -> Option<Self> {
        // One column, in text: a count and a length stand before it.
        let text = row.strip_prefix(ONE_COLUMN)?.get(LENGTH_BYTES..)?;
        let mut tokens = JsonTokens { rest: text };
        for opening in [b"[".as_slice(), b"{"] {
            tokens.next().filter(|token| *token == opening)?;
        }
        // The first member is the plan; a query has nothing else there.
        for expected in [b"\"Plan\"".as_slice(), b":", b"{"] {
            tokens.next().filter(|token| *token == expected)?;
        }
        let (mut cost, mut rows) = (None, None);
        while cost.is_none() || rows.is_none() {
            let name = tokens.next()?;
            tokens.next().filter(|token| *token == b":")?;
            let value = tokens.next()?;
            match name {
                b"\"Total Cost\"" => cost = Some(number(value)?),
                b"\"Plan Rows\"" => rows = Some(number(value)?),
                // Before these numbers there are only names and flags.
                _ if matches!(value, b"{" | b"[") => return None,
                _ => {}
            }
            tokens
                .next()
                .filter(|token| matches!(*token, b"," | b"}"))?;
        }
        Some(Self {
            cost: cost?,
            rows: rows?,
        })
    }
}

/// The tokens of JSON; none more where one is not whole.
struct JsonTokens<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for JsonTokens<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        self.rest = self.rest.trim_ascii_start();
        let length = match self.rest.first()? {
            b'"' => string_bytes(self.rest)?,
            b'{' | b'}' | b'[' | b']' | b':' | b',' => 1,
            _ => self.rest.iter().position(|byte| ends_word(*byte))?,
        };
        let (token, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(token)
    }
}

/// How long the string is that the text begins with.
fn string_bytes(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.iter().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b",:{}[]\"".contains(&byte)
}

fn number(token: &[u8]) -> Option<f64> {
    let number: f64 = std::str::from_utf8(token).ok()?.parse().ok()?;
    (number >= 0.0).then_some(number)
}

/// The number of columns in a row that has one.
const ONE_COLUMN: &[u8] = b"\0\x01";

/// The length of a column.
const LENGTH_BYTES: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<PlanEstimate> {
        let row = [b"\0\x01\0\0\0\0", text.as_bytes()].concat();
        let cut = (0..row.len()).map(|end| PlanEstimate::read(&row[..end]));
        let (whole, cut) = (PlanEstimate::read(&row), cut.flatten().next());
        // A beginning that is long enough says the same, a shorter one nothing.
        assert!(cut.is_none() || cut == whole);
        whole
    }

    #[test]
    fn the_top_node_counts() {
        let text = r#"[
  {
    "Plan": {
      "Node Type": "Nested \"Loop\" {[,:",
      "Parallel Aware": false,
      "Alias": "\\",
      "Startup Cost": 0.00,
      "Total Cost": 1234.56,
      "Plan Rows": 1e3,
      "Plan Width": 8,
      "Plans": [ { "Total Cost": 9, "Plan Rows": 9 } ]
    }
  }
]"#;
        let plan = PlanEstimate {
            cost: 1234.56,
            rows: 1000.0,
        };
        assert_eq!(read(text), Some(plan));
    }

    #[test]
    fn what_is_no_plan_is_not_read() {
        for text in [
            "",
            "[\n  \"Utility Statement\"\n]",
            "[{\"Plan\": {\"Plans\": [{\"Total Cost\": 1, \"Plan Rows\": 1}]}}]",
            "[{\"Plan\": {\"Total Cost\": -1, \"Plan Rows\": 1, \"x\": 1}}]",
            "[{\"Plan\": {\"Total Cost\": NaN, \"Plan Rows\": 1, \"x\": 1}}]",
            "[{\"Plan\": {\"Total Cost\": 1, \"Plan Width\": 1}}]",
            "[{\"Settings\": {}, \"Plan\": {\"Total Cost\": 1, \"Plan Rows\": 1}}]",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
