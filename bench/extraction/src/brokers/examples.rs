//! Examples for training: which candidates of a document are the expected values.

use extraction::contract_note::{Prepared, SIDES, Segment, segments, side_choice, side_features};
use extraction::scoring::Mention;
use extraction::scoring::features;
use extraction::scoring::labels::LabelIndex;
use extraction::scoring::terms;
use extraction::scoring::training::{Choice, Example};
use extraction::types::{DocumentType, FieldSpec};
use rust_decimal::Decimal;

use super::Document;
use super::truth::{Trade, is_equal};

pub(crate) fn of(document_type: &DocumentType, document: &Document) -> Vec<Example> {
    let mut labels = LabelIndex::with_terms(document_type, terms::CONTRACT_NOTE);
    let found = segments(&document.scan);
    let mut examples = Vec::new();
    for (at, trade) in document.trades.iter().enumerate() {
        let same =
            found.iter().find(|segment| segment.isin.is_some() && segment.isin == trade.isin);
        let segment = match same {
            Some(segment) => segment,
            None if found.len() == 1 && document.trades.len() == 1 => &found[0],
            None if found.len() == document.trades.len() => &found[at],
            None => continue,
        };
        of_trade(document_type, document, segment, trade, &mut labels, &mut examples);
    }
    for example in &mut examples {
        example.issuer.clone_from(&document.broker);
    }
    examples
}

fn of_trade(
    document_type: &DocumentType,
    document: &Document,
    segment: &Segment,
    trade: &Trade,
    labels: &mut LabelIndex,
    examples: &mut Vec<Example>,
) {
    let (words, _) = side_features(document_type, &document.scan, segment);
    let choices = SIDES.iter().map(|side| Choice {
        own: side_choice(side, &words),
        shared: Vec::new(),
        is_right: *side == trade.side,
    });
    examples.push(Example {
        field: "side".to_owned(),
        issuer: String::new(),
        independent: false,
        with_none: false,
        choices: choices.collect(),
    });
    let mut prepared = Prepared::new(&document.scan, segment, labels);
    prepared.set_side(trade.side);
    for (index, spec) in document_type.fields.iter().enumerate() {
        let (Some("trades"), name) = spec.group() else { continue };
        examples.extend(of_field(&prepared, index, spec, name, trade));
    }
}

fn of_field(
    prepared: &Prepared<'_>,
    index: usize,
    spec: &FieldSpec,
    name: &str,
    trade: &Trade,
) -> Option<Example> {
    let fitting = prepared.fitting(spec);
    let choice = |at: usize, is_right: bool| Choice {
        own: prepared.features[at].clone(),
        shared: features::label(index, &prepared.hits[at]),
        is_right,
    };
    if spec.additive {
        let (right, unknown) = parts(prepared, index, name, trade, &fitting)?;
        let choices = fitting
            .iter()
            .filter(|at| !unknown.contains(at))
            .map(|&at| choice(at, right.contains(&at)))
            .collect();
        return Some(Example {
            field: name.to_owned(),
            issuer: String::new(),
            independent: true,
            with_none: false,
            choices,
        });
    }
    let is_right = |at: &usize| right(name, prepared.mentions[*at], trade);
    let known = fitting.iter().map(is_right).collect::<Option<Vec<bool>>>()?;
    // A security number and a rate may be missing on the page; other values are there, perhaps in a form that was not found.
    let with_none = matches!(
        name,
        "wkn" | "exchange_rate" | "order_number" | "price" | "gross_amount" | "isin"
    );
    if !with_none && !known.contains(&true) {
        return None;
    }
    let choices = fitting.iter().zip(&known).map(|(&at, &is_right)| choice(at, is_right)).collect();
    Some(Example {
        field: name.to_owned(),
        issuer: String::new(),
        independent: false,
        with_none,
        choices,
    })
}

/// Whether a mention is the value of a field. `None` when the expected value is not known.
fn right(name: &str, mention: &Mention, trade: &Trade) -> Option<bool> {
    let found = &mention.found;
    let number = found.number().map(|number| number.abs());
    let in_currency = |currency: Option<&String>| {
        found.currency.is_none() || currency.is_none() || found.currency.as_ref() == currency
    };
    match name {
        "isin" => trade.isin.as_ref().map(|isin| found.normalised() == *isin),
        "wkn" => Some(trade.wkn.as_ref() == Some(&found.normalised())),
        "trade_date" => trade.date.as_ref().map(|date| found.normalised() == *date),
        "quantity" => Some(is_equal(name, trade.quantity?, number?)),
        "net_amount" => {
            Some(is_equal(name, trade.net_amount?, number?) && in_currency(trade.currency.as_ref()))
        }
        "gross_amount" => {
            let settled = is_equal(name, trade.gross_amount?, number?)
                && in_currency(trade.currency.as_ref());
            let foreign = trade.foreign_gross.is_some_and(|gross| {
                is_equal(name, gross, number.unwrap_or_default())
                    && found.currency != trade.currency
            });
            Some(settled || foreign)
        }
        "price" => {
            let quantity = trade.quantity.filter(|quantity| !quantity.is_zero())?;
            let grosses = [trade.gross_amount, trade.foreign_gross];
            let unit = Decimal::new(5, u32::from(found.decimals) + 1);
            Some(grosses.iter().flatten().any(|gross| {
                let price = gross / quantity;
                (price - number.unwrap_or_default()).abs() <= unit && found.decimals >= 2
            }))
        }
        "exchange_rate" => {
            let rate = trade.foreign_gross.zip(trade.gross_amount).filter(|(_, g)| !g.is_zero());
            let Some((foreign, gross)) = rate else { return Some(false) };
            let number = number.filter(|number| !number.is_zero())?;
            let close = |rate: Decimal| ((rate - number) / number).abs() < Decimal::new(3, 3);
            let inverse = !foreign.is_zero() && close(gross / foreign);
            Some(found.decimals >= 3 && (close(foreign / gross) || inverse))
        }
        "order_number" => {
            Some(found.normalised().len() > 4 && trade.note.contains(&found.normalised()))
        }
        _ => None,
    }
}

/// The mentions that are terms of fees or taxes, and those about which nothing is known. `None` when no subset of the
/// labelled amounts has the expected sum.
fn parts(
    prepared: &Prepared<'_>,
    index: usize,
    name: &str,
    trade: &Trade,
    fitting: &[usize],
) -> Option<(Vec<usize>, Vec<usize>)> {
    let expected = if name == "fees" { trade.fees } else { trade.taxes }?;
    let usable = |at: usize| {
        let found = &prepared.mentions[at].found;
        let settled = found.currency.is_none() || found.currency == trade.currency;
        settled && found.number().is_some_and(|number| !number.is_zero())
    };
    if expected.is_zero() {
        return Some((Vec::new(), Vec::new()));
    }
    let labelled: Vec<usize> = fitting
        .iter()
        .copied()
        .filter(|&at| usable(at) && prepared.hits[at].iter().any(|hit| hit.field == index))
        .take(14)
        .collect();
    let value = |at: usize| prepared.mentions[at].found.number().unwrap_or_default().abs();
    let usable_any: Vec<usize> = fitting.iter().copied().filter(|&at| usable(at)).collect();
    // One amount that is the whole sum, labelled or not; otherwise the smallest subset of labelled amounts.
    let mut best: Option<Vec<usize>> = None;
    for mask in 1..1_u32 << labelled.len() {
        let members: Vec<usize> =
            (0..labelled.len()).filter(|at| mask & (1 << at) != 0).map(|at| labelled[at]).collect();
        let sum: Decimal = members.iter().map(|&at| value(at)).sum();
        if (sum - expected).abs() < Decimal::new(1, 2)
            && best.as_ref().is_none_or(|known| known.len() > members.len())
        {
            best = Some(members);
        }
    }
    let best = best.or_else(|| {
        let whole = usable_any.iter().copied().find(|&at| value(at) == expected);
        whole.map(|at| vec![at])
    })?;
    // Repetitions of the same amounts may be right or wrong. Amounts in another currency may be right too.
    let unknown = fitting
        .iter()
        .copied()
        .filter(|at| !best.contains(at))
        .filter(|&at| {
            let foreign = prepared.mentions[at]
                .found
                .currency
                .as_ref()
                .is_some_and(|c| Some(c) != trade.currency.as_ref());
            best.iter().any(|&right| value(right) == value(at)) || foreign
        })
        .collect();
    Some((best, unknown))
}
