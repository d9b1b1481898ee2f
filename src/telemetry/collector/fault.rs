//! What is told of an error on the way to a collector: words of our own for what stands in it.

/// What an error is about; none where nothing in it is known.
pub fn words_in(error: &str) -> Option<&'static str> {
    let lower = error.to_lowercase();
    let found = FAULTS.iter().find(|(sign, _)| lower.contains(sign));
    found.map(|(_, words)| *words)
}

/// What may stand in an error, and what is said of it.
const FAULTS: &[(&str, &str)] = &[
    ("connection refused", "nobody listens there"),
    ("certificate", "its certificate is not trusted"),
    ("dns error", "its name is not known"),
    ("timeout expired", "it does not answer in time"),
];
