//! What users have received today, as it is written down: budgets of a day outlive the process.
//!
//! JSON, whole in one piece: the day, and for each policy and user the rows and bytes. Names of
//! policies and users are all that it holds of anybody.

use std::fmt;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Serialize};

use super::daily_budget::{SECONDS_OF_DAY, UsageOfDay};
use crate::limits;

/// What one user has received under one policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetEntry {
    /// The policy.
    pub policy: String,
    /// The user.
    pub user: String,
    /// How much, and on which day.
    pub used: UsageOfDay,
}

/// What is no such text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnreadableBudgets {
    line: usize,
    column: usize,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BudgetDocument {
    version: u32,
    used: Vec<BudgetLine>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct BudgetLine {
    day: String,
    policy: String,
    user: String,
    rows: u64,
    bytes: u64,
}

/// Writes the entries down.
pub fn write(entries: &[BudgetEntry]) -> String {
    let used = entries.iter().map(|entry| BudgetLine {
        day: date(entry.used.day),
        policy: entry.policy.clone(),
        user: entry.user.clone(),
        rows: entry.used.rows,
        bytes: entry.used.bytes,
    });
    let written = BudgetDocument {
        version: VERSION,
        used: used.collect(),
    };
    // Strings and numbers: there is nothing that JSON could not say.
    let mut text = serde_json::to_string(&written).unwrap_or_default();
    text.push('\n');
    text
}

/// Reads what was written.
///
/// # Errors
/// Where it is something else.
pub fn read(text: &str) -> Result<Vec<BudgetEntry>, UnreadableBudgets> {
    let written: BudgetDocument =
        serde_json::from_str(text).map_err(|error| UnreadableBudgets {
            line: error.line(),
            column: error.column(),
        })?;
    let somewhere = || UnreadableBudgets { line: 1, column: 1 };
    if written.version != VERSION || written.used.len() > limits::ACCOUNTS_MAX {
        return Err(somewhere());
    }
    let entries = written.used.into_iter().map(|line| {
        Some(BudgetEntry {
            used: UsageOfDay {
                day: day(&line.day)?,
                rows: line.rows,
                bytes: line.bytes,
            },
            policy: line.policy,
            user: line.user,
        })
    });
    entries.collect::<Option<_>>().ok_or_else(somewhere)
}

/// The date of a day.
fn date(day: u64) -> String {
    let second = i64::try_from(day.saturating_mul(SECONDS_OF_DAY)).unwrap_or(i64::MAX);
    let moment = Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
    moment.to_zoned(TimeZone::UTC).date().to_string()
}

fn day(date: &str) -> Option<u64> {
    let date: Date = date.parse().ok()?;
    let moment = date.to_zoned(TimeZone::UTC).ok()?.timestamp();
    Some(u64::try_from(moment.as_second()).ok()? / SECONDS_OF_DAY)
}

impl fmt::Display for UnreadableBudgets {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, column } = self;
        write!(
            formatter,
            "is not what pgsieve writes there (line {line}, column {column}): put it aside, and \
             the budgets of today begin anew"
        )
    }
}

const VERSION: u32 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(user: &str, rows: u64) -> BudgetEntry {
        BudgetEntry {
            policy: "agent".into(),
            user: user.into(),
            used: UsageOfDay {
                day: 20_780,
                rows,
                bytes: u64::MAX,
            },
        }
    }

    #[test]
    fn what_is_written_is_read() {
        for entries in [
            Vec::new(),
            vec![
                entry("ann", 7),
                entry("a \"b\"\n{é}", u64::MAX),
                entry("", 0),
            ],
        ] {
            let text = write(&entries);
            assert_eq!(read(&text), Ok(entries));
        }
        assert!(write(&[entry("ann", 7)]).contains("\"day\":\"2026-11-23\""));
    }

    #[test]
    fn what_is_cut_or_changed_is_not_read() {
        let text = write(&[entry("ann", 7)]);
        let text = text.trim_end();
        for end in 0..text.len() {
            assert!(read(&text[..end]).is_err(), "{end}");
        }
        for (from, to) in [
            ("\"version\":1", "\"version\":2"),
            ("\"rows\":7", "\"rows\":-7"),
            ("\"rows\":7", "\"rows\":7.5"),
            ("\"rows\":7", "\"rows\":\"7\""),
            ("\"rows\":7", "\"rows\":99999999999999999999"),
            ("\"rows\":7,", ""),
            ("\"rows\":7", "\"rows\":7,\"more\":1"),
            ("2026-11-23", "2026-13-23"),
            ("2026-11-23", "1969-11-23"),
            ("2026-11-23", "yesterday"),
            ("\"used\":[", "\"used\":[[],"),
        ] {
            let changed = text.replace(from, to);
            assert_ne!(changed, text);
            assert!(read(&changed).is_err(), "{changed}");
        }
        let told = read("{").unwrap_err().to_string();
        assert!(told.contains("begin anew"), "{told}");
    }
}
