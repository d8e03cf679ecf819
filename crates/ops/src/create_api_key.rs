//! Making a key for a machine.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use domain::{Action, ApiKey, ApiKeyId, Caller, Name, Role, Scope, Secret};
use sha2::{Digest, Sha256};
use store::{NewApiKey, Store, StoreError};

use crate::authenticate::{KEY_MARK, KEY_PREFIX_LENGTH};
use crate::gather::SharedWrite;
use crate::{Ops, OpsError};

/// A key somebody asks for.
#[derive(Debug)]
pub struct RequestedApiKey {
    pub name: String,
    pub role: Role,
}

/// A new key, with the one and only showing of its secret.
#[derive(Debug)]
pub struct CreatedApiKey {
    pub key: ApiKey,
    pub secret: Secret,
}

impl Ops {
    pub async fn create_api_key(
        &self,
        caller: &Caller,
        requested: RequestedApiKey,
    ) -> Result<CreatedApiKey, OpsError> {
        let scope = caller.permit(Action::ManageApiKeys)?;
        let name: Name =
            requested.name.parse().map_err(|error| OpsError::invalid("name", error))?;
        let secret = self.new_secret();
        let new = NewApiKey {
            api_key_id: ApiKeyId(self.ids.next()),
            name: name.into_string(),
            role: requested.role,
            prefix: secret[..KEY_PREFIX_LENGTH].to_owned(),
            secret_sha256: Sha256::digest(&secret).into(),
        };
        let key = self.new_keys.write(scope, new).await?;
        Ok(CreatedApiKey { key, secret: Secret::new(secret) })
    }

    /// The mark, a public prefix of 72 random bits and 256 secret ones.
    fn new_secret(&self) -> String {
        let mut bytes = [0; 41];
        self.random.fill(&mut bytes);
        format!("{KEY_MARK}{}", URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl SharedWrite for NewApiKey {
    type Place = Store;
    type Done = ApiKey;

    async fn apply(store: &Store, new: Vec<(Scope, Self)>) -> Result<Vec<ApiKey>, StoreError> {
        store.add_api_keys(new).await
    }
}
