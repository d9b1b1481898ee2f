//! What pgsieve says of itself to clients of OAuth: who gives tokens for it, and for what.
//!
//! <https://www.rfc-editor.org/rfc/rfc9728>

use hyper::Uri;
use serde_json::json;

use crate::net::stream::is_loopback;

/// The address of the MCP server as its clients know it: its name among resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceAddress {
    whole: String,
    origin: String,
    path: String,
}

impl ResourceAddress {
    /// Reads one.
    ///
    /// # Errors
    /// It is none: what would be right.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let uri: Uri = text.parse().map_err(|_| WANTED)?;
        let authority = uri.authority().ok_or(WANTED)?;
        let is_private = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => is_loopback_name(authority.host()),
            _ => false,
        };
        let is_plain = uri.query().is_none() && !text.contains(['#', '@']);
        if !is_private || !is_plain {
            return Err(WANTED);
        }
        let origin = format!("{}://{authority}", uri.scheme_str().unwrap_or_default());
        Ok(Self {
            whole: text.to_owned(),
            origin,
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.whole
    }

    /// Whether a path is one of those where the metadata is.
    pub fn has_metadata_at(&self, path: &str) -> bool {
        let rest = path.strip_prefix(WELL_KNOWN);
        rest.is_some_and(|rest| rest.is_empty() || rest == self.path)
    }

    /// Where the metadata is.
    pub fn metadata_address(&self) -> String {
        format!("{}{WELL_KNOWN}{}", self.origin, self.path)
    }

    /// The metadata, as JSON.
    pub fn metadata(&self, issuer: &str, scopes: &[String]) -> String {
        let mut told = json!({
            "resource": self.whole,
            "authorization_servers": [issuer],
            "bearer_methods_supported": ["header"],
            "resource_name": "pgsieve",
        });
        if let (Some(fields), false) = (told.as_object_mut(), scopes.is_empty()) {
            fields.insert("scopes_supported".to_owned(), json!(scopes));
        }
        told.to_string()
    }
}

fn is_loopback_name(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse();
    host == "localhost" || address.is_ok_and(is_loopback)
}

/// Where such metadata is, before the path of the resource.
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

const WANTED: &str = "the address is wanted by which agents know this server, as \
    https://db.example.com/mcp, or http:// on a loopback host; without a query, a fragment or a \
    user";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_stands_between_host_and_path() {
        for (address, metadata) in [
            (
                "https://db.example.com/mcp",
                "https://db.example.com/.well-known/oauth-protected-resource/mcp",
            ),
            (
                "https://db.example.com:8432/sales/mcp/",
                "https://db.example.com:8432/.well-known/oauth-protected-resource/sales/mcp",
            ),
            (
                "http://127.0.0.1:8432",
                "http://127.0.0.1:8432/.well-known/oauth-protected-resource",
            ),
            (
                "http://[::1]:8432/mcp",
                "http://[::1]:8432/.well-known/oauth-protected-resource/mcp",
            ),
        ] {
            let read = ResourceAddress::parse(address).unwrap();
            assert_eq!(read.metadata_address(), metadata);
            assert_eq!(read.text(), address);
            let path = metadata.parse::<Uri>().unwrap().path().to_owned();
            for (path, is_there) in [
                (path.as_str(), true),
                (WELL_KNOWN, true),
                ("/mcp", false),
                ("/.well-known/oauth-protected-resource/else", false),
                ("/.well-known/oauth-protected-resourcemcp", false),
            ] {
                assert_eq!(read.has_metadata_at(path), is_there, "{path} of {address}");
            }
        }
        for none in [
            "",
            "db.example.com/mcp",
            "http://db.example.com/mcp",
            "ftp://127.0.0.1/mcp",
            "https://user@db.example.com/mcp",
            "https://db.example.com/mcp?a=b",
            "https://db.example.com/mcp#a",
        ] {
            assert_eq!(ResourceAddress::parse(none), Err(WANTED), "{none}");
        }
    }
}
