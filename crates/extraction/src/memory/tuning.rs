//! The constants of recall. `bench-extraction brokers --memory --fit` searches for better ones.

/// How much each anchor of a value counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchors {
    pub left: f32,
    pub right: f32,
    pub first: f32,
    pub previous: f32,
    pub next: f32,
    pub above: f32,
    pub section: f32,
    pub position: f32,
    pub count: f32,
    pub between: f32,
    pub shape: f32,
    pub page: f32,
    pub band: f32,
    pub edge: f32,
    /// How much an anchor counts that only the new document has.
    pub absent: f32,
    /// What speaks against a match of few anchors.
    pub prior: f32,
}

/// How matches are weighed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuning {
    pub anchors: Anchors,
    /// Layouts below this similarity have nothing to do with each other, and from the second number on both documents are of
    /// one issuer.
    pub min_layout: f32,
    pub same_issuer: f32,
    /// Surroundings below this similarity are no match, and from the second number on a full one.
    pub min_match: f32,
    pub full_match: f32,
    /// How much more similar a value must be to a place of the field than to any other place, to count fully.
    pub margin: f32,
    /// How much a full match adds to the score of a candidate, in log-odds.
    pub boost: f32,
    /// How much the score of a candidate is lowered that fully matches a place which was not the field's value.
    pub penalty: f32,
    /// The same for the terms of a sum: which of them a document has differs from one to the next.
    pub term_penalty: f32,
    /// How much the score of an amount is lowered that is not among the known terms of a sum.
    pub missing_term: f32,
    /// How much a place counts that had the value too, but is less likely the place of the field.
    pub unlikely: f32,
    /// How much an entry counts for a document of another form (a sale and not a purchase), for dates and for other fields.
    pub other_form_date: f32,
    pub other_form: f32,
}

impl Default for Tuning {
    fn default() -> Self {
        let anchors = Anchors {
            left: 4.2,
            right: 1.0,
            first: 1.0,
            previous: 0.7,
            next: 0.5,
            above: 2.1,
            section: 0.75,
            position: 0.75,
            count: 0.5,
            between: 0.75,
            shape: 0.75,
            page: 0.5,
            band: 0.5,
            edge: 0.5,
            absent: 0.5,
            prior: 0.5,
        };
        Self {
            anchors,
            min_layout: 0.1,
            same_issuer: 0.42,
            min_match: 0.35,
            full_match: 0.9,
            margin: 0.1,
            boost: 6.0,
            penalty: 4.0,
            term_penalty: 1.0,
            missing_term: 2.0,
            unlikely: 0.8,
            other_form_date: 0.2,
            other_form: 0.5,
        }
    }
}
