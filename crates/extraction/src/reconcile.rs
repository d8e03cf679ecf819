//! Chooses the combination of candidates that satisfies the constraints of the document type best.

use domain::{Extraction, Field, FieldStatus};

use crate::parsed::Parsed;
use crate::types::DocumentType;

pub fn reconcile(of: &DocumentType, parsed: &Parsed) -> Extraction {
    let field = |name: &str| {
        let found = parsed.fields.iter().find(|field| field.name == name);
        let Some(best) = found.and_then(|field| field.candidates.first()) else {
            return Field::missing();
        };
        Field {
            value: Some(best.value.clone()),
            raw: Some(best.raw.clone()),
            confidence: f64::from(1.0 / (1.0 + (-best.score).exp())),
            status: FieldStatus::NeedsReview,
            page: best.page,
            area: best.area.map(|area| [area.left, area.top, area.right, area.bottom]),
            source: Some(best.source),
            ..Field::missing()
        }
    };
    let header = of.fields.iter().filter(|spec| !spec.name.contains("[]"));
    Extraction {
        document_type: of.name.clone(),
        fields: header.map(|spec| (spec.name.clone(), field(&spec.name))).collect(),
        warnings: parsed.warnings.clone(),
        ..Extraction::default()
    }
}
