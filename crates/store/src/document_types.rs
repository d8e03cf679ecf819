//! The document types of a tenant. Every change is a new version; rows are never changed.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::FromRow;
use sqlx::types::Json;

use crate::{StoreError, Tx, sql};

/// A version of a type.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentTypeRecord {
    pub name: String,
    pub version: u32,
    /// `None`: the type was withdrawn.
    pub definition: Option<Value>,
    /// The email address of the user or the name of the key, where they still exist.
    pub created_by: String,
    pub created_at: DateTime<Utc>,
}

/// A version to be added.
#[derive(Clone, Debug)]
pub struct NewDocumentType<'a> {
    pub name: &'a str,
    pub version: u32,
    /// `None`: withdraws the type.
    pub definition: Option<Value>,
}

#[derive(FromRow)]
struct Row {
    name: String,
    version: i32,
    definition: Option<Json<Value>>,
    created_by: String,
    created_at: DateTime<Utc>,
}

impl TryFrom<Row> for DocumentTypeRecord {
    type Error = StoreError;

    fn try_from(row: Row) -> Result<Self, StoreError> {
        let unreadable = |_| StoreError::Unreadable {
            what: "version of a document type",
            value: row.version.to_string(),
        };
        Ok(Self {
            version: row.version.try_into().map_err(unreadable)?,
            name: row.name,
            definition: row.definition.map(|Json(definition)| definition),
            created_by: row.created_by,
            created_at: row.created_at,
        })
    }
}

impl Tx {
    /// The latest version of every type of the tenant, withdrawn ones included, by name.
    pub async fn current_document_types(&mut self) -> Result<Vec<DocumentTypeRecord>, StoreError> {
        let rows: Vec<Row> = sqlx::query_as(sql!("document_types/current"))
            .bind(self.tenant_id().0)
            .bind(None::<&str>)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(DocumentTypeRecord::try_from).collect()
    }

    /// The latest version of one type.
    pub async fn current_document_type(
        &mut self,
        name: &str,
    ) -> Result<Option<DocumentTypeRecord>, StoreError> {
        let row: Option<Row> = sqlx::query_as(sql!("document_types/current"))
            .bind(self.tenant_id().0)
            .bind(name)
            .fetch_optional(self.connection())
            .await?;
        row.map(DocumentTypeRecord::try_from).transpose()
    }

    /// The names of the tenant's types that are not withdrawn.
    pub async fn document_type_names(&mut self) -> Result<Vec<String>, StoreError> {
        let names = sqlx::query_scalar(sql!("document_types/names"))
            .bind(self.tenant_id().0)
            .fetch_all(self.connection())
            .await?;
        Ok(names)
    }

    /// The versions of one type, or one of them; at most `limit`, the latest first.
    pub async fn document_type_versions(
        &mut self,
        name: &str,
        version: Option<u32>,
        limit: u32,
    ) -> Result<Vec<DocumentTypeRecord>, StoreError> {
        // A number beyond the column's range is no version.
        let version = version.map(|version| i32::try_from(version).unwrap_or(-1));
        let rows: Vec<Row> = sqlx::query_as(sql!("document_types/versions"))
            .bind(self.tenant_id().0)
            .bind(name)
            .bind(version)
            .bind(i64::from(limit))
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(DocumentTypeRecord::try_from).collect()
    }

    /// Makes other changes of the tenant's types wait for the end of this transaction.
    pub async fn lock_document_types(&mut self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1 FROM tenants WHERE tenant_id = $1 FOR NO KEY UPDATE")
            .bind(self.tenant_id().0)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Adds a version. The caller has locked the types and counted the version up.
    pub async fn insert_document_type(
        &mut self,
        new: NewDocumentType<'_>,
    ) -> Result<(), StoreError> {
        let version = i32::try_from(new.version).map_err(|_| StoreError::Unreadable {
            what: "version of a document type",
            value: new.version.to_string(),
        })?;
        sqlx::query(sql!("document_types/insert"))
            .bind(self.tenant_id().0)
            .bind(new.name)
            .bind(version)
            .bind(new.definition.map(Json))
            .bind(self.scope().actor().to_string())
            .bind(self.now())
            .execute(self.connection())
            .await?;
        Ok(())
    }
}
