//! How Postgres reads the text of a setting: booleans, durations, numbers, encodings, lists of
//! names.
//!
//! Stricter where it matters: what these functions do not understand is not passed on.
//! <https://www.postgresql.org/docs/current/config-setting.html>

/// A boolean, as `parse_bool` reads it: any prefix of true, false, yes, no; on, of, off; 1, 0.
pub fn boolean(text: &str) -> Option<bool> {
    let word = text.to_ascii_lowercase();
    let starts = |full: &str, shortest: usize| word.len() >= shortest && full.starts_with(&word);
    if starts("true", 1) || starts("yes", 1) || starts("on", 2) || word == "1" {
        Some(true)
    } else if starts("false", 1) || starts("no", 1) || starts("off", 2) || word == "0" {
        Some(false)
    } else {
        None
    }
}

/// Whether the server itself takes nothing but true and false for a setting (in lower case). Those
/// that decide whether a session writes or how a text is read are left out on purpose.
pub fn is_boolean(name: &str) -> bool {
    BOOLEANS.binary_search(&name).is_ok()
}

/// An amount of memory in kB, as the server reads it for the settings that it counts in kB, rounded
/// up. Octal and hexadecimal spellings and negative values are not understood.
pub fn kibibytes(text: &str) -> Option<u64> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit {
        "B" => 1.0 / 1_024.0,
        "" | "kB" => 1.0,
        "MB" => 1_024.0,
        "GB" => 1_048_576.0,
        "TB" => 1_073_741_824.0,
        _ => return None,
    };
    // Far beyond what the server takes; the bound of the policy is what counts.
    format!("{:.0}", (number * factor).ceil().min(MEMORY_MAX))
        .parse()
        .ok()
}

/// Whether the server counts a setting (in lower case) in kB, and bounds by that what one statement
/// may use.
pub fn is_memory(name: &str) -> bool {
    MEMORY.contains(&name)
}

/// Whether the server counts a setting (in lower case) in milliseconds, the three timeouts of
/// policies aside.
pub fn is_milliseconds(name: &str) -> bool {
    MILLISECONDS.contains(&name)
}

/// Whether the server counts a setting (in lower case) in a unit of time or size, the three
/// timeouts of policies aside: a number alone says little of such a one.
pub fn is_amount(name: &str) -> bool {
    is_memory(name) || is_milliseconds(name) || OTHER_UNITS.contains(&name)
}

/// Whether a decimal number that is not negative is at most so large; none where it is no such
/// number.
pub fn is_at_most(text: &str, most: u64) -> Option<bool> {
    match number_and_unit(text)? {
        // Bounds are small, so that both are exact.
        (number, "") => Some(number <= f64::from(u32::try_from(most).unwrap_or(u32::MAX))),
        _ => None,
    }
}

/// A decimal number that is not negative, and the unit behind it.
pub(crate) fn number_and_unit(text: &str) -> Option<(f64, &str)> {
    let text = text.trim_matches(SPACES);
    let digits_end = text
        .find(|letter: char| !is_number_part(letter))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(digits_end)?;
    let octal = number.len() > 1 && number.starts_with('0') && !number.starts_with("0.");
    if octal || !number.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    Some((number.parse().ok()?, unit.trim_start_matches(SPACES)))
}

/// A duration in milliseconds, rounded as the server rounds it. Zero means "no bound" to the
/// server, so a value that rounds to zero is zero here too. Octal and hexadecimal spellings and
/// negative values are not understood.
pub fn milliseconds(text: &str) -> Option<u64> {
    let (number, unit) = number_and_unit(text)?;
    let factor = match unit {
        "us" => 0.001,
        "" | "ms" => 1.0,
        "s" => 1_000.0,
        "min" => 60_000.0,
        "h" => 3_600_000.0,
        "d" => 86_400_000.0,
        _ => return None,
    };
    whole(number * factor)
}

/// Whether a setting can have this name, in lower case: words with dots between them, as the server
/// takes them from a SET without quotes.
pub fn is_name(name: &str) -> bool {
    name.split('.').all(|part| {
        let mut letters = part.chars();
        let first = |letter: char| letter.is_ascii_lowercase() || letter == '_';
        letters.next().is_some_and(first)
            && letters.all(|letter| first(letter) || letter.is_ascii_digit() || letter == '$')
    })
}

/// A whole number in decimal.
pub fn integer(text: &str) -> Option<i64> {
    text.trim_matches(SPACES).parse().ok()
}

/// Whether an encoding's name, in any of Postgres's spellings, is UTF8. Quotes around it, which one
/// driver sends in its startup packet, are not part of the name to Postgres either.
pub fn is_utf8(text: &str) -> bool {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric);
    let name: Vec<u8> = letters.map(|letter| letter.to_ascii_lowercase()).collect();
    text.is_ascii() && (name == b"utf8" || name == b"unicode")
}

/// A list of names such as a search_path, as `SplitIdentifierString` reads it. None when it is not
/// one.
pub fn identifiers(text: &str) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut rest = text.trim_start_matches(SPACES);
    if rest.is_empty() {
        return Some(names);
    }
    loop {
        let (name, after) = identifier(rest)?;
        names.push(name);
        rest = after.trim_start_matches(SPACES);
        if rest.is_empty() {
            return Some(names);
        }
        rest = rest.strip_prefix(',')?.trim_start_matches(SPACES);
    }
}

/// One name at the start of the text, and what follows it.
fn identifier(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text
            .find(|letter| letter == ',' || SPACES.contains(&letter))
            .unwrap_or(text.len());
        let (name, rest) = text.split_at_checked(end)?;
        return (!name.is_empty()).then(|| (name.to_lowercase(), rest));
    };
    let mut name = String::new();
    let mut rest = quoted;
    loop {
        let (part, after) = rest.split_once('"')?;
        name.push_str(part);
        match after.strip_prefix('"') {
            Some(more) => {
                name.push('"');
                rest = more;
            }
            None => return Some((name, after)),
        }
    }
}

fn is_number_part(letter: char) -> bool {
    letter.is_ascii_digit() || letter == '.'
}

/// Rounds half to even, as the server does. None beyond what a setting can hold.
fn whole(number: f64) -> Option<u64> {
    let rounded = number.round_ties_even();
    if !(0.0..=LARGEST).contains(&rounded) {
        return None;
    }
    format!("{rounded:.0}").parse().ok()
}

/// What Postgres skips around values.
const SPACES: &[char] = &[' ', '\t', '\n', '\r', '\x0b', '\x0c'];

/// More memory than a setting holds, in kB.
const MEMORY_MAX: f64 = 9e15;

/// Settings in kB that a session may change.
const MEMORY: [&str; 4] = [
    "gin_pending_list_limit",
    "logical_decoding_work_mem",
    "maintenance_work_mem",
    "work_mem",
];

/// Settings in milliseconds that a session may change.
const MILLISECONDS: [&str; 6] = [
    "client_connection_check_interval",
    "deadlock_timeout",
    "idle_session_timeout",
    "tcp_user_timeout",
    "transaction_timeout",
    "wal_sender_timeout",
];

/// Settings in pages, seconds and the like: what a number asks for is not known here.
const OTHER_UNITS: [&str; 11] = [
    "backend_flush_after",
    "commit_delay",
    "effective_cache_size",
    "min_parallel_index_scan_size",
    "min_parallel_table_scan_size",
    "tcp_keepalives_idle",
    "tcp_keepalives_interval",
    "temp_buffers",
    "vacuum_buffer_usage_limit",
    "vacuum_cost_delay",
    "wal_skip_threshold",
];

/// The largest value that an integer setting holds.
const LARGEST: f64 = 2_147_483_647.0;

/// Settings of type bool that a session may change, in order.
const BOOLEANS: [&str; 34] = [
    "array_nulls",
    "check_function_bodies",
    "default_transaction_deferrable",
    "enable_async_append",
    "enable_bitmapscan",
    "enable_gathermerge",
    "enable_hashagg",
    "enable_hashjoin",
    "enable_incremental_sort",
    "enable_indexonlyscan",
    "enable_indexscan",
    "enable_material",
    "enable_memoize",
    "enable_mergejoin",
    "enable_nestloop",
    "enable_parallel_append",
    "enable_parallel_hash",
    "enable_partition_pruning",
    "enable_partitionwise_aggregate",
    "enable_partitionwise_join",
    "enable_seqscan",
    "enable_sort",
    "enable_tidscan",
    "escape_string_warning",
    "geqo",
    "jit",
    "jit_expressions",
    "jit_tuple_deforming",
    "parallel_leader_participation",
    "quote_all_identifiers",
    "row_security",
    "synchronize_seqscans",
    "transaction_deferrable",
    "transform_null_equals",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn booleans_are_read_as_the_server_reads_them() {
        for text in ["on", "ON", "true", "TRUE", "t", "tr", "yes", "y", "1"] {
            assert_eq!(boolean(text), Some(true), "{text}");
        }
        for text in ["off", "of", "false", "f", "fal", "no", "n", "0", "OFF"] {
            assert_eq!(boolean(text), Some(false), "{text}");
        }
        for text in ["", "o", " on", "on ", "2", "01", "truely", "null", "'on'"] {
            assert_eq!(boolean(text), None, "{text}");
        }
    }

    #[test]
    fn durations_have_units_and_round_to_even() {
        let cases = [
            ("0", 0),
            ("30000", 30_000),
            ("30s", 30_000),
            (" 1 min ", 60_000),
            ("1.5s", 1_500),
            ("2h", 7_200_000),
            ("1d", 86_400_000),
            ("500us", 0),
            ("1500us", 2),
            ("0.4ms", 0),
            ("0.5", 0),
        ];
        for (text, wanted) in cases {
            assert_eq!(milliseconds(text), Some(wanted), "{text}");
        }
        for text in [
            "",
            "-1",
            "+1",
            "010",
            "0x10",
            "1e3",
            "1S",
            "30 seconds",
            "1 1",
            ".5",
            "9999999d",
        ] {
            assert_eq!(milliseconds(text), None, "{text}");
        }
    }

    #[test]
    fn names_of_settings_are_words_with_dots() {
        for name in ["work_mem", "app.tenant", "a.b.c", "_x", "a1.b$"] {
            assert!(is_name(name), "{name}");
        }
        for name in [
            "", ".", "a.", ".a", "a..b", "1a", "a b", "a-b", "A", "é", "a'",
        ] {
            assert!(!is_name(name), "{name}");
        }
    }

    #[test]
    fn encodings_are_compared_without_punctuation() {
        for name in ["UTF8", "utf-8", "'utf-8'", "Unicode", "UTF_8"] {
            assert!(is_utf8(name), "{name}");
        }
        for name in ["", "SJIS", "utf16", "utf8é", "sql_ascii", "auto"] {
            assert!(!is_utf8(name), "{name}");
        }
    }

    #[test]
    fn lists_of_names_fold_and_unquote() {
        assert_eq!(identifiers("").unwrap(), Vec::<String>::new());
        assert_eq!(
            identifiers(" A , \"B c\",\"d\"\"e\" ").unwrap(),
            ["a", "B c", "d\"e"]
        );
        for broken in ["a,", ",a", "a b", "\"a", "a,,b", "\"a\"b"] {
            assert_eq!(identifiers(broken), None, "{broken}");
        }
    }

    #[test]
    fn booleans_are_in_order() {
        assert!(BOOLEANS.is_sorted());
        assert!(BOOLEANS.iter().all(|name| is_boolean(name)));
        assert!(!is_boolean("default_transaction_read_only"));
    }
}
