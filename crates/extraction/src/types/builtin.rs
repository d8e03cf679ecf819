//! The document types that are part of Docket.

use std::sync::LazyLock;

use super::DocumentType;

const FILES: [&str; 4] = [
    include_str!("../../types/contract_note.json"),
    include_str!("../../types/invoice.json"),
    include_str!("../../types/receipt.json"),
    include_str!("../../types/generic.json"),
];

/// The built-in types, in a fixed order.
pub fn builtin() -> &'static [DocumentType] {
    // The tests read every file, so that none is left out here.
    static TYPES: LazyLock<Vec<DocumentType>> =
        LazyLock::new(|| FILES.iter().filter_map(|file| serde_json::from_str(file).ok()).collect());
    &TYPES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::split_group;

    #[test]
    fn every_file_is_a_valid_type() {
        for file in FILES {
            let read: DocumentType = serde_json::from_str(file).expect("a document type");
            read.validate().unwrap_or_else(|invalid| panic!("{}: {invalid}", read.name));
        }
        let names: Vec<&str> = builtin().iter().map(|kind| kind.name.as_str()).collect();
        assert_eq!(names, ["contract_note", "invoice", "receipt", "generic"]);
    }

    /// The names of the fields are part of the API.
    #[test]
    fn built_in_types_have_the_documented_fields() {
        let fields = |name: &str| -> Vec<&str> {
            let found = builtin().iter().find(|kind| kind.name == name).expect("a built-in type");
            found.fields.iter().map(|field| field.name.as_str()).collect()
        };
        let documented = [
            ("contract_note", "", "broker account_holder document_date"),
            (
                "contract_note",
                "trades",
                "side isin wkn security_name trade_date settlement_date quantity price price_currency exchange_rate \
                 currency gross_amount fees taxes net_amount order_number",
            ),
            (
                "invoice",
                "",
                "invoice_number issue_date due_date seller.name seller.street seller.postcode seller.city \
                 seller.country seller.vat_id buyer.name buyer.street buyer.postcode buyer.city buyer.country \
                 buyer.vat_id currency line_total tax_basis_total tax_total grand_total due_payable",
            ),
            ("invoice", "lines", "name quantity unit_price line_total"),
            ("receipt", "", "company date address total currency"),
        ];
        for (name, group, expected) in documented {
            let found = fields(name);
            for field in expected.split_whitespace() {
                let wanted = (Some(group).filter(|group| !group.is_empty()), field);
                assert!(
                    found.iter().any(|found| split_group(found) == wanted),
                    "{name}: {wanted:?} is missing"
                );
            }
        }
    }
}
