//! The built-in probabilities of levels, for types without observations.
//!
//! They are rounded judgements, not fitted to any data: what people get wrong when they write a value twice (m), and how
//! often different things among candidates agree by chance (u).

use domain::FieldRole;

/// *m* and *u* of each level of a role.
pub(super) fn of_role(role: FieldRole) -> (&'static [f64], &'static [f64]) {
    match role {
        // Equal, almost certain, probable, doubtful, differs.
        FieldRole::Name => (&[0.6, 0.2, 0.1, 0.05, 0.05], &[0.02, 0.02, 0.05, 0.11, 0.8]),
        FieldRole::Text => (&[0.3, 0.25, 0.15, 0.15, 0.15], &[0.01, 0.01, 0.03, 0.15, 0.8]),
        // Equal, contained with the same house number, partly, differs.
        FieldRole::Address => (&[0.5, 0.25, 0.1, 0.15], &[0.01, 0.01, 0.08, 0.9]),
        // Equal, one typing error, differs.
        FieldRole::Postcode => (&[0.8, 0.1, 0.1], &[0.05, 0.05, 0.9]),
        FieldRole::City => (&[0.75, 0.13, 0.12], &[0.1, 0.05, 0.85]),
        FieldRole::Id => (&[0.85, 0.06, 0.09], &[0.002, 0.008, 0.99]),
        FieldRole::Phone | FieldRole::Email => (&[0.75, 0.05, 0.2], &[0.002, 0.008, 0.99]),
        // Equal; 1–2, 3–7, 8–31 days after; the same before; mistyped; the same year; differs.
        FieldRole::Date => (
            &[0.6, 0.09, 0.05, 0.03, 0.03, 0.02, 0.02, 0.06, 0.05, 0.05],
            &[0.02, 0.02, 0.03, 0.07, 0.02, 0.03, 0.07, 0.01, 0.23, 0.5],
        ),
        // Equal, then within 1 %, 3 %, 10 % and 30 %, differs.
        FieldRole::Amount => {
            (&[0.7, 0.08, 0.06, 0.06, 0.04, 0.06], &[0.02, 0.03, 0.05, 0.1, 0.15, 0.65])
        }
        FieldRole::Code => (&[0.92, 0.08], &[0.3, 0.7]),
        FieldRole::Ignored => (&[], &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare;

    #[test]
    fn every_role_has_probabilities_for_all_levels_that_sum_to_one() {
        for role in FieldRole::ALL {
            for shares in [of_role(role).0, of_role(role).1] {
                assert_eq!(shares.len(), compare::levels(role), "{role}");
                let sum: f64 = shares.iter().sum();
                assert!(shares.is_empty() || (sum - 1.0).abs() < 1e-9, "{role}: {sum}");
            }
        }
    }
}
