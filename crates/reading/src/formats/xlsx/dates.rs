//! Days since the end of 1899 as dates and times.

use super::number_format::Piece;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const WEEKDAYS: [&str; 7] =
    ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
/// The last day of the year 9999.
const MAX_DAYS: f64 = 2_958_466.0;

struct Moment {
    year: i64,
    month: usize,
    day: i64,
    weekday: usize,
    seconds_of_day: i64,
    all_seconds: i64,
}

/// Formats a date with the pieces of a code; none when the day does not exist.
pub(super) fn shown(days: f64, pieces: &[Piece]) -> Option<String> {
    let moment = moment(days)?;
    let half_days =
        pieces.iter().any(|piece| matches!(piece, Piece::Time(unit) if unit == "AM/PM"));
    let mut written = String::new();
    for (at, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Literal(text) => written.push_str(text),
            Piece::Time(unit) => {
                let minutes = unit.starts_with('m') && unit.len() < 3 && is_beside_time(pieces, at);
                written.push_str(&field(&moment, unit, minutes, half_days));
            }
            Piece::Point => written.push('.'),
            Piece::Comma => written.push(','),
            _ => {}
        }
    }
    Some(written.trim().trim_end_matches('.').to_owned())
}

/// `m` is the minute after hours or before seconds, and the month elsewhere.
fn is_beside_time(pieces: &[Piece], at: usize) -> bool {
    let unit = |piece: &Piece| match piece {
        Piece::Time(unit) => unit.trim_start_matches('[').chars().next(),
        _ => None,
    };
    let before = pieces.get(..at).unwrap_or_default().iter().rev().find_map(unit);
    let after = pieces.get(at + 1..).unwrap_or_default().iter().find_map(unit);
    before == Some('h') || after == Some('s')
}

fn moment(days: f64) -> Option<Moment> {
    if !(0.0..MAX_DAYS).contains(&days) {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, reason = "within four million days")]
    let all_seconds = (days * 86_400.0).round() as i64;
    let (day_number, seconds_of_day) = (all_seconds / 86_400, all_seconds % 86_400);
    let weekday = usize::try_from(day_number % 7).ok()?;
    // Spreadsheets treat 1900 as a leap year: day 60 does not exist, and earlier days are off by one.
    let (year, month, day) = match day_number {
        60 => (1900, 2, 29),
        0..60 => civil(day_number + 1),
        _ => civil(day_number),
    };
    Some(Moment { year, month, day, weekday, seconds_of_day, all_seconds })
}

/// Year, month and day, counted from 30 December 1899.
fn civil(days: i64) -> (i64, usize, i64) {
    let days = days + 693_899;
    let era = days / 146_097;
    let of_era = days % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    // Years begin in March here, so that the leap day comes last.
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, usize::try_from(month).unwrap_or(1), day)
}

fn field(moment: &Moment, unit: &str, minutes: bool, half_days: bool) -> String {
    let hours = moment.seconds_of_day / 3600;
    let shown_hours = if half_days { (hours + 11) % 12 + 1 } else { hours };
    let minute = moment.seconds_of_day / 60 % 60;
    let month = MONTHS.get(moment.month - 1).copied().unwrap_or_default();
    let weekday = WEEKDAYS.get(moment.weekday).copied().unwrap_or_default();
    match unit {
        "AM/PM" => if hours < 12 { "AM" } else { "PM" }.to_owned(),
        "m" if minutes => minute.to_string(),
        "mm" if minutes => format!("{minute:02}"),
        "y" | "yy" => format!("{:02}", moment.year % 100),
        "yyy" | "yyyy" | "yyyyy" => moment.year.to_string(),
        "m" => moment.month.to_string(),
        "mm" => format!("{:02}", moment.month),
        "mmm" => month.chars().take(3).collect(),
        "mmmm" => month.to_owned(),
        "mmmmm" => month.chars().take(1).collect(),
        "d" => moment.day.to_string(),
        "dd" => format!("{:02}", moment.day),
        "ddd" => weekday.chars().take(3).collect(),
        "dddd" | "ddddd" => weekday.to_owned(),
        "h" => shown_hours.to_string(),
        "hh" => format!("{shown_hours:02}"),
        "s" => (moment.seconds_of_day % 60).to_string(),
        unit if unit.starts_with("[h") => (moment.all_seconds / 3600).to_string(),
        unit if unit.starts_with("[m") => (moment.all_seconds / 60).to_string(),
        unit if unit.starts_with("[s") => moment.all_seconds.to_string(),
        unit if unit.starts_with('s') => format!("{:02}", moment.seconds_of_day % 60),
        _ => String::new(),
    }
}
