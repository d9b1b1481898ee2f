//! Who is let in over HTTP: whoever has a token of the file, or one of the issuer's.

use std::sync::Arc;

use blake3::Hash;

use super::admission::BearerRefusal;
use super::oauth::OAuthBearers;
use crate::auth::oidc::token::TokenError;
use crate::mcp::bearer_grant::BearerGrant;
use crate::mcp::http::oauth::OAuthRefusal;
use crate::mcp::tokens::{TokenFile, TokenFileFault};

/// Whose tokens are taken.
#[derive(Debug)]
pub struct AdmittedBearers {
    /// Those of a file.
    pub file: Option<TokenFile>,
    /// Those of an issuer.
    pub oauth: Option<OAuthBearers>,
}

impl AdmittedBearers {
    /// Whom a token lets in.
    ///
    /// May be cancelled.
    ///
    /// # Errors
    /// It lets nobody in.
    pub async fn grant(&self, said: &str) -> Result<Arc<BearerGrant>, BearerRefusal> {
        let of_file = self.file.as_ref().and_then(|file| file.find(said));
        if let Some(grant) = of_file {
            return Ok(grant);
        }
        let Some(oauth) = &self.oauth else {
            return Err(BearerRefusal::Unknown);
        };
        let is_none = OAuthRefusal::Unproved(TokenError::NotToken);
        oauth.grant(said).await.map_err(|refusal| match &self.file {
            // It may have been one of the file.
            Some(_) if refusal == is_none => BearerRefusal::Unknown,
            _ => BearerRefusal::OAuth(refusal),
        })
    }

    /// Whether a token of the file with this hash is there still.
    pub fn has_in_file(&self, key: &Hash) -> bool {
        self.file
            .as_ref()
            .is_some_and(|file| file.has(key).is_some())
    }

    /// Why the file lets nobody in any more, once.
    pub fn new_fault(&self) -> Option<TokenFileFault> {
        self.file.as_ref().and_then(TokenFile::new_fault)
    }
}
