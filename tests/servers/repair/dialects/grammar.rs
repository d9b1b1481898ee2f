//! Random queries, the same for the same seed: what people compare, count and sort by, without
//! regard to whether it makes sense.

/// What a generator knows of a dialect and its tables.
pub struct Words {
    /// What no two rows of it have alike, and what stands behind FROM.
    pub sources: &'static [(&'static str, &'static str)],
    /// Whole numbers, other numbers, texts, dates and timestamps, truths.
    pub whole: &'static [&'static str],
    /// Other numbers.
    pub numbers: &'static [&'static str],
    /// Texts.
    pub texts: &'static [&'static str],
    /// Dates and timestamps.
    pub moments: &'static [&'static str],
    /// Truths.
    pub truths: &'static [&'static str],
    /// Literals of each kind.
    pub number_literals: &'static [&'static str],
    /// Texts.
    pub text_literals: &'static [&'static str],
    /// Dates.
    pub moment_literals: &'static [&'static str],
    /// What stands behind LIKE.
    pub patterns: &'static [&'static str],
    /// Functions: `T` is a text, `N` a number, `I` a whole one, `D` a date, `B` a condition, `C` a
    /// column of dates.
    pub number_templates: &'static [&'static str],
    /// Those that return texts.
    pub text_templates: &'static [&'static str],
    /// Those that return dates.
    pub moment_templates: &'static [&'static str],
    /// Conditions.
    pub truth_templates: &'static [&'static str],
    /// Aggregates.
    pub aggregates: &'static [&'static str],
    /// What is grouped by.
    pub group_keys: &'static [&'static str],
}

/// A source of numbers that repeats itself for the same seed.
pub struct Dice(u64);

impl Dice {
    /// From a seed.
    pub fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0x1234_5678_9ABC_DEF1)
    }

    /// A number below another one.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 11) % u64::try_from(sides).unwrap()).unwrap()
    }

    /// One of some texts.
    pub fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.roll(from.len())]
    }

    /// Whether something happens that happens so many times in a hundred.
    pub fn happens(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }
}

/// A query, and whether the order of its rows is certain.
pub fn query(words: &Words, dice: &mut Dice) -> (String, bool) {
    let (key, from) = words.sources[dice.roll(words.sources.len())];
    let mut text = String::from("SELECT ");
    let grouped = dice.happens(30);
    let filter = dice.happens(75).then(|| fill("B", words, dice, 2));
    let filter = filter.map_or(String::new(), |filter| format!(" WHERE {filter}"));
    if grouped {
        let key = dice.pick(words.group_keys);
        let total = fill(dice.pick(words.aggregates), words, dice, 1);
        let other = fill(dice.pick(words.aggregates), words, dice, 1);
        text.push_str(&format!(
            "{key} AS k, {total} AS a, {other} AS b FROM {from}{filter} GROUP BY {}",
            if dice.happens(50) { "k" } else { key }
        ));
        if dice.happens(40) {
            let limit = dice.pick(words.number_literals);
            let sign = dice.pick(&[">", "<", ">=", "<>", "="]);
            text.push_str(&format!(" HAVING COUNT(*) {sign} {limit}"));
        }
        let ordered = dice.happens(50);
        if ordered {
            text.push_str(dice.pick(&[" ORDER BY k", " ORDER BY k DESC", " ORDER BY 1"]));
        }
        return (text, ordered);
    }
    let distinct = dice.happens(10);
    let count = 1 + dice.roll(3);
    let item = |dice: &mut Dice| {
        let kind = dice.pick(&["T", "N", "N", "I", "D", "B"]);
        fill(kind, words, dice, 2)
    };
    let items: Vec<String> = (0..count).map(|_| item(dice)).collect();
    if distinct {
        let mut item = || fill(dice.pick(&["I", "T"]), words, dice, 1);
        let numbers: Vec<String> = (0..count).map(|_| item()).collect();
        text.push_str(&format!(
            "DISTINCT {} FROM {from}{filter}",
            numbers.join(", ")
        ));
        return (text, false);
    }
    text.push_str(&format!("{key}, {} FROM {from}{filter}", items.join(", ")));
    if !dice.happens(60) {
        return (text, false);
    }
    let by = fill(dice.pick(&["T", "N", "I", "D"]), words, dice, 1);
    let down = dice.pick(&["", " DESC", " ASC"]);
    let limit = dice.pick(&["", " LIMIT 3", " LIMIT 2 OFFSET 1", " LIMIT 1, 4"]);
    text.push_str(&format!(" ORDER BY {by}{down}, {key}{limit}"));
    (text, true)
}

/// A query with a column that is neither grouped nor aggregated.
pub fn query_with_bare_column(words: &Words, dice: &mut Dice) -> String {
    let (_, from) = words.sources[dice.roll(words.sources.len())];
    let filter = dice.happens(50).then(|| fill("B", words, dice, 1));
    let filter = filter.map_or(String::new(), |filter| format!(" WHERE {filter}"));
    let key = dice.pick(words.group_keys);
    let bare = fill(dice.pick(&["T", "N", "I", "D"]), words, dice, 1);
    let total = fill(dice.pick(words.aggregates), words, dice, 0);
    let order = dice.pick(&["", " ORDER BY k", " ORDER BY x"]);
    format!("SELECT {key} AS k, {bare} AS x, {total} AS a FROM {from}{filter} GROUP BY k{order}")
}

/// A template, its letters replaced.
fn fill(template: &str, words: &Words, dice: &mut Dice, depth: usize) -> String {
    let mut text = String::new();
    let letters: Vec<char> = template.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let is_word = |place: Option<usize>| {
            place
                .and_then(|place| letters.get(place))
                .is_some_and(|one| one.is_alphanumeric() || *one == '_' || *one == '%')
        };
        if is_word(at.checked_sub(1)) || is_word(Some(at + 1)) {
            text.push(*letter);
            continue;
        }
        let (columns, literals, templates) = match letter {
            'T' => (words.texts, words.text_literals, words.text_templates),
            'N' => (words.numbers, words.number_literals, words.number_templates),
            'I' => (words.whole, words.number_literals, words.number_templates),
            'D' => (words.moments, words.moment_literals, words.moment_templates),
            'B' => (words.truths, words.truths, words.truth_templates),
            'C' => (words.moments, words.moments, words.moments),
            'P' => (words.patterns, words.patterns, words.patterns),
            'X' => {
                // Anything, so that kinds meet that do not belong together.
                let kind = dice.pick(&["T", "N", "I", "D"]);
                text.push_str(&fill(kind, words, dice, depth.saturating_sub(1)));
                continue;
            }
            other => {
                text.push(*other);
                continue;
            }
        };
        match dice.roll(10) {
            0..3 if depth > 0 || *letter == 'B' => {
                let inner = dice.pick(templates);
                text.push_str(&fill(inner, words, dice, depth.saturating_sub(1)));
            }
            3..7 if *letter == 'B' => {
                let inner = dice.pick(templates);
                text.push_str(&fill(inner, words, dice, 0));
            }
            3..5 => text.push_str(dice.pick(literals)),
            _ => text.push_str(dice.pick(columns)),
        }
    }
    text
}
