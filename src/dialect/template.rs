//! Templates: expressions of Postgres with places for the arguments of a foreign function.
//!
//! `{1}` is the first argument as it is written; a letter after the number asks for more: `{1!}`
//! can stand beside any operator. What else a place may ask for is in
//! [`crate::calls::template`]: there the types of arguments are told by Postgres.

/// The text of a template, each place filled by what stands between its braces.
///
/// # Errors
/// What `place` says of a place that it cannot fill.
pub fn fill<E>(
    template: &str,
    mut place: impl FnMut(&str) -> Result<String, E>,
) -> Result<String, E> {
    let mut text = String::with_capacity(template.len() + 32);
    let mut rest = template;
    // Places are found in the template alone, never in what was put in.
    while let Some((before, (inside, after))) = rest
        .split_once('{')
        .and_then(|(before, after)| Some((before, after.split_once('}')?)))
    {
        text.push_str(before);
        text.push_str(&place(inside)?);
        rest = after;
    }
    text.push_str(rest);
    Ok(text)
}

/// The number of a place's argument, and the letter after it.
pub fn numbered(place: &str) -> Option<(usize, &str)> {
    let digits = place.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    Some((digits.parse().ok()?, place.strip_prefix(digits)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_found_in_the_template_alone() {
        let filled = |template: &str| {
            fill(template, |place| {
                match numbered(place) {
                    Some((1, "!")) => Ok("({2!})"),
                    Some((2, "")) => Ok("b"),
                    _ => Err(place.to_owned()),
                }
                .map(str::to_owned)
            })
        };
        assert_eq!(
            filled("f({1!}, {2}) + {1!}").unwrap(),
            "f(({2!}), b) + ({2!})"
        );
        assert_eq!(filled("a {2").unwrap(), "a {2");
        assert_eq!(filled("").unwrap(), "");
        for (template, place) in [("{3}", "3"), ("{}", ""), ("{1t}", "1t"), ("{x}", "x")] {
            assert_eq!(filled(template), Err(place.to_owned()));
        }
    }
}
