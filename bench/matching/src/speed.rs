//! CPU time of keys and comparisons, and the work of a search among many synthetic records with skewed values.

use domain::{FieldRole, RecordFields, RecordTypeDefinition};
use matching::compare::Prepared;
use matching::keys;
use matching::search::Limits;
use matching::weights::Model;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::corpus::{Corpus, definition};
use crate::febrl;
use crate::linkage::Index;
use crate::score::{cpu_seconds, say, share};

const SEARCHES: usize = 1_000;

pub(crate) fn run(corpus: &Corpus, records: usize) -> anyhow::Result<()> {
    if let Some((people, _)) = febrl::records(corpus)? {
        per_operation("febrl1", &febrl::person(), &people)?;
    }
    let mut random = StdRng::seed_from_u64(1);
    let customer = customer();
    let customers = Customers::new(&mut random);
    let made: Vec<RecordFields> =
        (0..records).map(|at| customers.record(at, &mut random)).collect();
    per_operation("synthetic customers", &customer, &made[..made.len().min(20_000)])?;
    search(&customer, &made, &mut random)
}

fn per_operation(
    name: &str,
    definition: &RecordTypeDefinition,
    records: &[RecordFields],
) -> anyhow::Result<()> {
    // Until a second has passed, so that the clock's resolution does not matter.
    let (mut rounds, mut all) = (0, 0);
    let start = cpu_seconds();
    while cpu_seconds() - start < 1.0 {
        all += records.iter().map(|record| keys::keys(definition, record).len()).sum::<usize>();
        rounds += 1;
    }
    let each = (cpu_seconds() - start) / share(rounds * records.len(), 1);
    let count = share(all, rounds * records.len());
    say(format!(
        "speed, {name}: keys of a record {:.1} µs CPU ({count:.1} keys, {:.0} records/s on one core)",
        1e6 * each,
        1.0 / each
    ))?;

    let start = cpu_seconds();
    let prepared: Vec<Prepared> =
        records.iter().map(|record| Prepared::new(definition, record)).collect();
    let preparation = (cpu_seconds() - start) / share(records.len(), 1);
    let model = Model::built_in(definition);
    let start = cpu_seconds();
    let (mut pairs, mut sum) = (0, 0.0);
    while cpu_seconds() - start < 1.0 {
        for (at, query) in prepared.iter().enumerate() {
            let other = &prepared[(at * 7_919 + pairs) % prepared.len()];
            sum += model.probability(&query.compare(other), 1);
            pairs += 1;
        }
    }
    let each = (cpu_seconds() - start) / share(pairs, 1);
    say(format!(
        "speed, {name}: comparison {:.2} µs CPU for each pair, preparation {:.2} µs for each record (mean probability {:.4})",
        1e6 * each,
        1e6 * preparation,
        sum / share(pairs, 1)
    ))
}

fn search(
    definition: &RecordTypeDefinition,
    records: &[RecordFields],
    random: &mut StdRng,
) -> anyhow::Result<()> {
    let start = cpu_seconds();
    let index = Index::new(definition, records);
    say(format!(
        "speed, search among {} customers: {:.1} keys each, index in memory in {:.1} s CPU",
        records.len(),
        share(index.keys, records.len()),
        (cpu_seconds() - start)
    ))?;
    let model = Model::built_in(definition);
    let (mut times, mut lengths, mut found) = (Vec::new(), Vec::new(), 0);
    for _ in 0..SEARCHES {
        let at = random.random_range(0..records.len());
        let query = mistyped(&records[at], random);
        let start = cpu_seconds();
        let candidates = index.candidates(&query, None, &model);
        times.push((cpu_seconds() - start) * 1e3);
        lengths.push(share(index.shortlist(&query).0.len(), 1));
        found += usize::from(candidates.iter().any(|one| one.db_id == at.to_string()));
    }
    let (time, length) = (percentiles(&mut times), percentiles(&mut lengths));
    say(format!(
        "  {SEARCHES} searches for a name with an error, postcode and city, no id: recall@20 {:.3}",
        share(found, SEARCHES)
    ))?;
    say(format!(
        "  CPU p50 {:.2} ms, p99 {:.2} ms; compared records p50 {:.0}, p99 {:.0} (limit {})",
        time.0,
        time.1,
        length.0,
        length.1,
        Limits::default().records
    ))
}

fn percentiles(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    let at = |share: usize| values.get(values.len() * share / 100).copied().unwrap_or(0.0);
    (at(50), at(99))
}

fn customer() -> RecordTypeDefinition {
    definition(
        "customer",
        &[
            ("name", FieldRole::Name),
            ("street", FieldRole::Address),
            ("postcode", FieldRole::Postcode),
            ("city", FieldRole::City),
            ("account", FieldRole::Id),
        ],
    )
}

/// Makes customers whose words and places are skewed as in reality: few are in most records.
struct Customers {
    given: Vec<String>,
    family: Vec<String>,
    streets: Vec<String>,
    cities: Vec<String>,
}

impl Customers {
    fn new(random: &mut StdRng) -> Self {
        let mut words = |count: usize| (0..count).map(|_| word(random)).collect::<Vec<_>>();
        Self {
            given: words(2_000),
            family: words(50_000),
            streets: words(5_000),
            cities: words(3_000),
        }
    }

    fn record(&self, at: usize, random: &mut StdRng) -> RecordFields {
        let city = skewed(self.cities.len(), random);
        // Every large city has some postcodes of its own; the largest of them has one in twenty of all records.
        let postcode = 10_000 + city * 7 + random.random_range(0..1 + 5 / (city + 1));
        let street = &self.streets[skewed(self.streets.len(), random)];
        let name = format!(
            "{} {}",
            self.given[skewed(self.given.len(), random)],
            self.family[skewed(self.family.len(), random)]
        );
        RecordFields::from([
            ("name".to_owned(), name),
            ("street".to_owned(), format!("{street}straße {}", random.random_range(1..120))),
            ("postcode".to_owned(), postcode.to_string()),
            ("city".to_owned(), self.cities[city].clone()),
            ("account".to_owned(), format!("AC{:08}", at * 17)),
        ])
    }
}

/// A place in a list: the first are much more frequent than the last (the inverse of Zipf's law).
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "the result is within the list"
)]
fn skewed(length: usize, random: &mut StdRng) -> usize {
    let uniform: f64 = random.random();
    (((length as f64).powf(uniform) - 1.0) as usize).min(length - 1)
}

fn word(random: &mut StdRng) -> String {
    const STARTS: &[&str] = &[
        "b", "br", "d", "f", "g", "h", "k", "kl", "l", "m", "n", "p", "r", "s", "sch", "st", "t",
        "v", "w", "z",
    ];
    const VOWELS: &[&str] = &["a", "e", "i", "o", "u", "ei", "au", "ie"];
    const ENDS: &[&str] = &["", "n", "r", "l", "s", "t", "ck", "mm", "rt", "nd"];
    let mut word = String::new();
    for _ in 0..random.random_range(2..4) {
        for list in [STARTS, VOWELS, ENDS] {
            word.push_str(list[random.random_range(0..list.len())]);
        }
    }
    word
}

/// The record as a document prints it: two letters of the name swapped or one replaced, without street and account.
fn mistyped(record: &RecordFields, random: &mut StdRng) -> RecordFields {
    let mut query = record.clone();
    query.remove("account");
    query.remove("street");
    if let Some(name) = query.get_mut("name") {
        let mut letters: Vec<char> = name.chars().collect();
        let at = random.random_range(1..letters.len() - 1);
        if random.random::<bool>() {
            letters.swap(at, at - 1);
        } else {
            letters[at] = 'e';
        }
        *name = letters.into_iter().collect();
    }
    query
}
