//! Rows of CSV (RFC 4180) that spreadsheets do not mistake for formulas.

/// Appends one row. A text that a spreadsheet would run as a formula gets an apostrophe in front, which the spreadsheet
/// hides. Numbers, also negative ones, stay as they are.
pub(crate) fn append_row<'a>(csv: &mut String, cells: impl IntoIterator<Item = &'a str>) {
    for (index, cell) in cells.into_iter().enumerate() {
        if index > 0 {
            csv.push(',');
        }
        let is_formula = starts_formula(cell) && !is_number(cell);
        if !is_formula && !cell.contains([',', '"', '\n', '\r']) {
            csv.push_str(cell);
            continue;
        }
        csv.push('"');
        if is_formula {
            csv.push('\'');
        }
        csv.push_str(&cell.replace('"', "\"\""));
        csv.push('"');
    }
    csv.push_str("\r\n");
}

/// Spreadsheets skip white space before a formula, and read full-width signs like ordinary ones.
fn starts_formula(cell: &str) -> bool {
    let signs = ['=', '+', '-', '@', '|', '%', '＝', '＋', '－', '＠'];
    cell.starts_with(['\t', '\r', '\n']) || cell.trim_start().starts_with(signs)
}

fn is_number(cell: &str) -> bool {
    let digits = cell.strip_prefix(['-', '+']).unwrap_or(cell);
    digits.starts_with(|first: char| first.is_ascii_digit())
        && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: &[&str]) -> String {
        let mut csv = String::new();
        append_row(&mut csv, cells.iter().copied());
        csv
    }

    #[test]
    fn a_formula_becomes_a_text_and_a_number_stays_one() {
        assert_eq!(row(&["=1+1", "@SUM(A1)", "-2+3"]), "\"'=1+1\",\"'@SUM(A1)\",\"'-2+3\"\r\n");
        assert_eq!(row(&["+cmd|' /C calc'!A0"]), "\"'+cmd|' /C calc'!A0\"\r\n");
        assert_eq!(row(&[" =1", "\t1", "＝1"]), "\"' =1\",\"'\t1\",\"'＝1\"\r\n");
        assert_eq!(row(&["-12.50", "+3", "0", "1.234.567"]), "-12.50,+3,0,1.234.567\r\n");
        assert_eq!(row(&["-", "--1", "-1e5"]), "\"'-\",\"'--1\",\"'-1e5\"\r\n");
    }

    #[test]
    fn quotes_commas_and_line_breaks_are_quoted() {
        assert_eq!(
            row(&["a,b", "say \"hi\"", "two\nlines"]),
            "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\r\n"
        );
        assert_eq!(row(&["Müller & Söhne", "", "x"]), "Müller & Söhne,,x\r\n");
    }
}
