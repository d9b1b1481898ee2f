//! The names that the words of an error have, in whatever language the server speaks.

/// The names that the words of an error have: in quotes, or with a dot in them.
pub fn names_in(message: &str) -> Vec<Vec<String>> {
    let mut names = Vec::new();
    for (place, piece) in message.split(is_quote).enumerate() {
        if place % 2 == 1 {
            names.push(piece.split('.').map(str::to_owned).collect());
            continue;
        }
        let words = piece.split_whitespace();
        let words = words.map(|word| word.trim_matches(|letter: char| !is_of_name(letter)));
        let dotted = words.filter(|word| word.contains('.'));
        names.extend(dotted.map(parts_of));
    }
    names
}

/// The name before the first parenthesis: that of a function.
pub fn function_in(message: &str) -> Option<Vec<String>> {
    let (before, _) = message.split_once('(')?;
    let name = before.split_whitespace().next_back()?;
    Some(parts_of(name.trim_start_matches(is_quote)))
}

/// The parts of a name as SQL spells it, without their quotes.
pub fn parts_of(name: &str) -> Vec<String> {
    let (mut parts, mut part, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => part.push('"'),
            '"' => is_quoted = !is_quoted,
            '.' if !is_quoted => parts.push(std::mem::take(&mut part)),
            letter => part.push(letter),
        }
    }
    parts.push(part);
    parts
}

/// Whether a letter may stand in a name without quotes.
pub fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '$')
}

fn is_quote(letter: char) -> bool {
    matches!(letter, '"' | '«' | '»' | '„' | '“' | '”')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_as_they_are_spelled() {
        assert_eq!(parts_of("a.\"B.c\".\"d\"\"e\""), ["a", "B.c", "d\"e"]);
        assert_eq!(parts_of(""), [""]);
        let names = names_in("column t.x does not exist, nor \"Y z\", (s.f)");
        let joined: Vec<String> = names.iter().map(|name| name.join("|")).collect();
        assert_eq!(joined, ["t|x", "Y z", "s|f"]);
        let function = |message| function_in(message).map(|name| name.join("|"));
        let of = |message| function(message).unwrap_or_default();
        assert_eq!(of("function shop.f(integer) does not exist"), "shop|f");
        assert_eq!(of("Funktion f() existiert nicht"), "f");
        assert_eq!(function("operator does not exist: a = b"), None);
    }
}
