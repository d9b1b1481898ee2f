//! The live page: one file, with its style and its script in it and nothing from elsewhere.
//!
//! What it is made of is named to the browser by hashes, and nothing else runs, is drawn or asked
//! for there, whatever a name that a client chose looks like.

use axum::body::Bytes;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The page and what it may do.
pub struct LivePage {
    policy: HeaderValue,
}

impl LivePage {
    /// Reads the hashes off the page.
    pub fn new() -> Self {
        let policy = format!(
            "default-src 'none'; script-src {}; style-src {}; connect-src 'self'; img-src data:; \
             base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'",
            hash_of("script"),
            hash_of("style"),
        );
        // Base64 and the words above are visible letters. Without this policy nothing runs.
        let nothing = HeaderValue::from_static("default-src 'none'");
        Self {
            policy: HeaderValue::try_from(policy).unwrap_or(nothing),
        }
    }

    /// The page as an answer.
    pub fn response(&self, status: StatusCode) -> Response {
        let kind = HeaderValue::from_static("text/html; charset=utf-8");
        let headers = [
            (CONTENT_TYPE, kind),
            (CONTENT_SECURITY_POLICY, self.policy.clone()),
        ];
        (status, headers, Bytes::from_static(PAGE.as_bytes())).into_response()
    }
}

/// The hash of what stands between the tags of this name, as browsers want it.
fn hash_of(tag: &str) -> String {
    let hash = Sha256::digest(between(tag).as_bytes());
    format!("'sha256-{}'", STANDARD.encode(hash))
}

fn between(tag: &str) -> &'static str {
    let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
    let inner = PAGE.split_once(&open).map_or("", |(_, rest)| rest);
    inner.split_once(&close).map_or("", |(inner, _)| inner)
}

const PAGE: &str = include_str!("page.html");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_one_script_one_style_and_nothing_from_elsewhere() {
        for tag in ["script", "style"] {
            assert_eq!(PAGE.matches(&format!("<{tag}")).count(), 1, "{tag}");
            assert!(!between(tag).is_empty());
        }
        for foreign in [
            "//",
            "src=",
            "@import",
            "url(",
            " style=",
            " onclick=",
            " onload=",
            "<iframe",
            "<form ",
        ] {
            let allowed = match foreign {
                // The namespace of SVG is a name, not an address.
                "//" => PAGE.matches("http://www.w3.org/2000/svg").count() + comments(),
                _ => 0,
            };
            assert_eq!(PAGE.matches(foreign).count(), allowed, "{foreign}");
        }
    }

    /// Lines of the script that are comments.
    fn comments() -> usize {
        let lines = between("script").lines();
        lines
            .filter(|line| line.trim_start().starts_with("// "))
            .count()
    }

    #[test]
    fn names_reach_the_page_as_text_only() {
        for sink in [
            "innerHTML",
            "outerHTML",
            "insertAdjacentHTML",
            "document.write",
            "eval(",
            "new Function",
            "setHTML",
            "createContextualFragment",
            "DOMParser",
        ] {
            assert!(!PAGE.contains(sink), "{sink}");
        }
    }

    #[test]
    fn the_policy_names_what_the_page_is_made_of() {
        let policy = LivePage::new().policy;
        let policy = policy.to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"));
        assert!(!policy.contains("unsafe"));
        // Browsers hash what they read: with other line ends than these it would be another text,
        // and so it would be if a comment of the page closed the tag or opened one before it.
        assert!(!PAGE.contains('\r') && !PAGE.contains("<!--"));
        for tag in ["script", "style"] {
            assert_eq!(PAGE.matches(&format!("</{tag}")).count(), 1);
            let hash = STANDARD.encode(Sha256::digest(between(tag)));
            assert!(policy.contains(&format!("{tag}-src 'sha256-{hash}';")));
        }
    }

    #[test]
    fn no_tag_has_a_script_of_its_own() {
        let markup = PAGE.split_once("<script>").unwrap().0;
        for tag in markup.split('<').skip(1) {
            let inside = tag.split('>').next().unwrap();
            for attribute in inside.split_whitespace().skip(1) {
                assert!(!attribute.starts_with("on") && !attribute.contains("javascript:"));
            }
        }
    }
}
