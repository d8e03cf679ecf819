//! Formulas of Office documents (OMML) as LaTeX.

use super::xml::Element;

/// One formula.
pub(super) fn latex(formula: &Element) -> String {
    let mut written = String::new();
    write_children(formula, &mut written);
    written.trim().to_owned()
}

fn write_children(parent: &Element, to: &mut String) {
    for element in parent.elements() {
        write_element(element, to);
    }
}

/// The argument of this name, in braces.
fn braced(parent: &Element, name: &str) -> String {
    format!("{{{}}}", argument(parent, name))
}

fn argument(parent: &Element, name: &str) -> String {
    parent.child(name).map(latex).unwrap_or_default()
}

fn write_element(element: &Element, to: &mut String) {
    let property = |group: &str, name: &str| {
        element.child(group).and_then(|group| group.child(name)).map(|property| property.attribute("val"))
    };
    match &*element.name {
        "r" => element.children("t").for_each(|text| write_text(&text.all_text(), to)),
        "f" => {
            let (above, below) = (braced(element, "num"), braced(element, "den"));
            let line = property("fPr", "type").flatten();
            if line == Some("noBar") {
                *to += &format!("\\genfrac{{}}{{}}{{0pt}}{{}}{above}{below}");
            } else {
                *to += &format!("\\frac{above}{below}");
            }
        }
        "sSup" => *to += &format!("{}^{}", argument(element, "e"), braced(element, "sup")),
        "sSub" => *to += &format!("{}_{}", argument(element, "e"), braced(element, "sub")),
        "sSubSup" => {
            let (sub, sup) = (braced(element, "sub"), braced(element, "sup"));
            *to += &format!("{}_{sub}^{sup}", argument(element, "e"));
        }
        "sPre" => {
            let (sub, sup) = (braced(element, "sub"), braced(element, "sup"));
            *to += &format!("{{}}_{sub}^{sup}{}", argument(element, "e"));
        }
        "rad" => match argument(element, "deg") {
            degree if degree.is_empty() => *to += &format!("\\sqrt{}", braced(element, "e")),
            degree => *to += &format!("\\sqrt[{degree}]{}", braced(element, "e")),
        },
        "nary" => write_nary(element, property("naryPr", "chr").flatten(), to),
        "d" => write_delimited(element, to),
        "func" => *to += &format!("{}({})", argument(element, "fName"), argument(element, "e")),
        "limLow" => *to += &format!("{}_{}", argument(element, "e"), braced(element, "lim")),
        "limUpp" => *to += &format!("{}^{}", argument(element, "e"), braced(element, "lim")),
        "acc" => *to += &format!("{}{}", accent(property("accPr", "chr").flatten()), braced(element, "e")),
        "bar" => {
            let below = property("barPr", "pos").flatten() == Some("bot");
            let command = if below { "\\underline" } else { "\\overline" };
            *to += &format!("{command}{}", braced(element, "e"));
        }
        "m" => write_matrix(element, to),
        "eqArr" => {
            let lines: Vec<_> = element.children("e").map(latex).collect();
            *to += &format!("\\begin{{aligned}}{}\\end{{aligned}}", lines.join(" \\\\ "));
        }
        name if name.ends_with("Pr") => {}
        _ => write_children(element, to),
    }
}

fn write_nary(element: &Element, sign: Option<&str>, to: &mut String) {
    *to += match sign.unwrap_or("∫") {
        "∑" => "\\sum",
        "∏" => "\\prod",
        "∐" => "\\coprod",
        "∬" => "\\iint",
        "∭" => "\\iiint",
        "∮" => "\\oint",
        "⋃" => "\\bigcup",
        "⋂" => "\\bigcap",
        "⋁" => "\\bigvee",
        "⋀" => "\\bigwedge",
        _ => "\\int",
    };
    for (name, mark) in [("sub", '_'), ("sup", '^')] {
        let limit = argument(element, name);
        if !limit.is_empty() {
            *to += &format!("{mark}{{{limit}}}");
        }
    }
    *to += &argument(element, "e");
}

fn write_delimited(element: &Element, to: &mut String) {
    let properties = element.child("dPr");
    let sign = |name: &str, usual: &'static str| {
        let sign = properties.and_then(|properties| properties.child(name));
        sign.map_or(usual, |sign| sign.attribute("val").unwrap_or("")).to_owned()
    };
    let delimiter = |sign: String| match sign.as_str() {
        "" => ".".to_owned(),
        "{" | "}" => format!("\\{sign}"),
        "⟨" => "\\langle ".to_owned(),
        "⟩" => "\\rangle ".to_owned(),
        _ => sign,
    };
    let inner: Vec<_> = element.children("e").map(latex).collect();
    let (begin, end) = (delimiter(sign("begChr", "(")), delimiter(sign("endChr", ")")));
    *to += &format!("\\left{begin}{}\\right{end}", inner.join(&sign("sepChr", "|")));
}

fn write_matrix(element: &Element, to: &mut String) {
    let rows: Vec<String> = element
        .children("mr")
        .map(|row| row.children("e").map(latex).collect::<Vec<_>>().join(" & "))
        .collect();
    *to += &format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "));
}

fn accent(sign: Option<&str>) -> &'static str {
    match sign.unwrap_or("\u{302}") {
        "\u{303}" => "\\tilde",
        "\u{305}" | "\u{304}" => "\\bar",
        "\u{307}" => "\\dot",
        "\u{308}" => "\\ddot",
        "\u{20D7}" => "\\vec",
        _ => "\\hat",
    }
}

/// Letters as they are, signs as commands.
fn write_text(text: &str, to: &mut String) {
    for character in text.chars() {
        match command(character) {
            Some(command) => *to += &format!(" \\{command} "),
            None => to.push(plain_letter(character)),
        }
    }
}

/// Mathematical italics and the like are the plain letters to a reader.
fn plain_letter(character: char) -> char {
    let code = u32::from(character);
    match code {
        0x1D400..=0x1D6A3 => {
            let at = (code - 0x1D400) % 52;
            let (first, at) = if at < 26 { ('A', at) } else { ('a', at - 26) };
            char::from_u32(u32::from(first) + at).unwrap_or(character)
        }
        0x1D7CE..=0x1D7FF => char::from_u32(u32::from('0') + (code - 0x1D7CE) % 10).unwrap_or(character),
        0x2212 => '-',
        _ => character,
    }
}

fn command(character: char) -> Option<&'static str> {
    const GREEK: [&str; 25] = [
        "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
        "lambda", "mu", "nu", "xi", "omicron", "pi", "rho", "varsigma", "sigma", "tau", "upsilon",
        "phi", "chi", "psi", "omega",
    ];
    let code = u32::from(character);
    let greek = match code {
        0x3B1..=0x3C9 => Some(code - 0x3B1),
        // The italic ones: capitals come first.
        0x1D6FC..=0x1D714 => Some(code - 0x1D6FC),
        _ => None,
    };
    if let Some(at) = greek {
        return GREEK.get(at as usize).copied();
    }
    Some(match character {
        'Γ' => "Gamma",
        'Δ' => "Delta",
        'Θ' => "Theta",
        'Λ' => "Lambda",
        'Π' => "Pi",
        'Σ' => "Sigma",
        'Φ' => "Phi",
        'Ψ' => "Psi",
        'Ω' => "Omega",
        '×' => "times",
        '÷' => "div",
        '±' => "pm",
        '∓' => "mp",
        '⋅' => "cdot",
        '∞' => "infty",
        '≤' => "leq",
        '≥' => "geq",
        '≠' => "neq",
        '≈' => "approx",
        '≡' => "equiv",
        '→' => "rightarrow",
        '←' => "leftarrow",
        '⇒' => "Rightarrow",
        '⇔' => "Leftrightarrow",
        '∈' => "in",
        '∉' => "notin",
        '⊂' => "subset",
        '⊆' => "subseteq",
        '∪' => "cup",
        '∩' => "cap",
        '∀' => "forall",
        '∃' => "exists",
        '∂' => "partial",
        '∇' => "nabla",
        '…' => "ldots",
        '⋯' => "cdots",
        '∑' => "sum",
        '∏' => "prod",
        '∫' => "int",
        '√' => "sqrt",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::xml::read_tree;

    fn written(xml: &str) -> String {
        latex(&read_tree(format!("<oMath>{xml}</oMath>").as_bytes(), 50).unwrap())
    }

    #[test]
    fn powers_fractions_and_sums_become_latex() {
        let r = |text: &str| format!("<r><t>{text}</t></r>");
        assert_eq!(written(&format!("<sSup><e>{}</e><sup>{}</sup></sSup>", r("x"), r("2"))), "x^{2}");
        assert_eq!(
            written(&format!("<f><num>{}</num><den>{}</den></f>", r("π"), r("L"))),
            "\\frac{\\pi}{L}"
        );
        let sum = format!(
            "<nary><naryPr><chr val=\"∑\"/></naryPr><sub>{}</sub><sup>{}</sup><e>{}</e></nary>",
            r("n=1"),
            r("∞"),
            r("a")
        );
        assert_eq!(written(&sum), "\\sum_{n=1}^{\\infty}a");
    }

    #[test]
    fn brackets_grow_with_what_they_hold() {
        assert_eq!(written("<d><e><r><t>x</t></r></e></d>"), "\\left(x\\right)");
        let braces = "<d><dPr><begChr val=\"{\"/><endChr val=\"\"/></dPr><e><r><t>x</t></r></e></d>";
        assert_eq!(written(braces), "\\left\\{x\\right.");
    }

    #[test]
    fn mathematical_italics_are_plain_letters() {
        assert_eq!(written("<r><t>𝐴𝑎𝟏</t></r>"), "Aa1");
    }
}
