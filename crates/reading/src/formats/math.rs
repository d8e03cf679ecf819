//! Formulas of Office documents (OMML) as LaTeX.

use super::xml::Element;

/// One formula.
pub(super) fn latex(formula: &Element) -> String {
    children(formula).trim().to_owned()
}

fn children(parent: &Element) -> String {
    parent.elements().map(element).collect()
}

/// The argument with this name, in braces.
fn braced(parent: &Element, name: &str) -> String {
    format!("{{{}}}", argument(parent, name))
}

fn argument(parent: &Element, name: &str) -> String {
    parent.child(name).map(latex).unwrap_or_default()
}

/// A property of the element.
fn property<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    let properties = element.elements().find(|child| child.name.ends_with("Pr"))?;
    Some(properties.child(name)?.attribute("val").unwrap_or(""))
}

fn element(element: &Element) -> String {
    let argument = |name: &str| argument(element, name);
    let braced = |name: &str| braced(element, name);
    match &*element.name {
        "r" => element.children("t").map(|text| text_of(&text.all_text())).collect(),
        "f" if property(element, "type") == Some("noBar") => {
            format!("\\genfrac{{}}{{}}{{0pt}}{{}}{}{}", braced("num"), braced("den"))
        }
        "f" => format!("\\frac{}{}", braced("num"), braced("den")),
        "sSup" => format!("{}^{}", argument("e"), braced("sup")),
        "sSub" => format!("{}_{}", argument("e"), braced("sub")),
        "sSubSup" => format!("{}_{}^{}", argument("e"), braced("sub"), braced("sup")),
        "sPre" => format!("{{}}_{}^{}{}", braced("sub"), braced("sup"), argument("e")),
        "rad" if argument("deg").is_empty() => format!("\\sqrt{}", braced("e")),
        "rad" => format!("\\sqrt[{}]{}", argument("deg"), braced("e")),
        "nary" => nary(element),
        "d" => delimited(element),
        "func" => format!("{}({})", argument("fName"), argument("e")),
        "limLow" => format!("{}_{}", argument("e"), braced("lim")),
        "limUpp" => format!("{}^{}", argument("e"), braced("lim")),
        "acc" => format!("{}{}", accent(property(element, "chr")), braced("e")),
        "bar" if property(element, "pos") == Some("bot") => format!("\\underline{}", braced("e")),
        "bar" => format!("\\overline{}", braced("e")),
        "groupChr" if property(element, "pos") == Some("top") => {
            format!("\\overbrace{}", braced("e"))
        }
        "groupChr" => format!("\\underbrace{}", braced("e")),
        "m" => {
            let row = |row: &Element| row.children("e").map(latex).collect::<Vec<_>>().join(" & ");
            let rows: Vec<String> = element.children("mr").map(row).collect();
            format!("\\begin{{matrix}}{}\\end{{matrix}}", rows.join(" \\\\ "))
        }
        "eqArr" => {
            let lines: Vec<_> = element.children("e").map(latex).collect();
            format!("\\begin{{aligned}}{}\\end{{aligned}}", lines.join(" \\\\ "))
        }
        name if name.ends_with("Pr") => String::new(),
        _ => children(element),
    }
}

/// Sums, integrals and similar operators with their limits.
fn nary(element: &Element) -> String {
    let sign = match property(element, "chr").unwrap_or("∫") {
        "∑" => "\\sum",
        "∏" => "\\prod",
        "∐" => "\\coprod",
        "∬" => "\\iint",
        "∭" => "\\iiint",
        "∮" => "\\oint",
        "∯" => "\\oiint",
        "∰" => "\\oiiint",
        "⋃" => "\\bigcup",
        "⋂" => "\\bigcap",
        "⋁" => "\\bigvee",
        "⋀" => "\\bigwedge",
        _ => "\\int",
    };
    let limit = |name: &str, mark: char| match argument(element, name) {
        limit if limit.is_empty() => String::new(),
        limit => format!("{mark}{{{limit}}}"),
    };
    let limits = limit("sub", '_') + &limit("sup", '^');
    // A command ends at the first character that is not a letter.
    let gap = if limits.is_empty() { " " } else { "" };
    format!("{sign}{limits}{gap}{}", argument(element, "e"))
}

fn delimited(element: &Element) -> String {
    let sign =
        |name: &str, usual: &'static str| property(element, name).unwrap_or(usual).to_owned();
    let delimiter = |sign: String| match sign.as_str() {
        "" => ".".to_owned(),
        "{" | "}" => format!("\\{sign}"),
        "⟨" => "\\langle ".to_owned(),
        "⟩" => "\\rangle ".to_owned(),
        _ => sign,
    };
    let inner: Vec<_> = element.children("e").map(latex).collect();
    let (begin, end) = (delimiter(sign("begChr", "(")), delimiter(sign("endChr", ")")));
    format!("\\left{begin}{}\\right{end}", inner.join(&sign("sepChr", "|")))
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

/// Writes letters unchanged and symbols as commands.
fn text_of(text: &str) -> String {
    let shown = |character: char| match command(character) {
        Some(command) => format!(" \\{command} "),
        None => plain_letter(character).to_string(),
    };
    text.chars().map(shown).collect()
}

/// Maps mathematical letters, such as italics, to plain letters.
fn plain_letter(character: char) -> char {
    let code = u32::from(character);
    match code {
        0x1D400..=0x1D6A3 => {
            let at = (code - 0x1D400) % 52;
            let (first, at) = if at < 26 { ('A', at) } else { ('a', at - 26) };
            char::from_u32(u32::from(first) + at).unwrap_or(character)
        }
        0x1D7CE..=0x1D7FF => {
            char::from_u32(u32::from('0') + (code - 0x1D7CE) % 10).unwrap_or(character)
        }
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
        // Italic letters: capitals come first.
        0x1D6FC..=0x1D714 => Some(code - 0x1D6FC),
        _ => None,
    };
    if let Some(at) = greek {
        return GREEK.get(at as usize).copied();
    }
    Some(match character {
        'ϵ' => "epsilon",
        'ϕ' => "phi",
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
        assert_eq!(
            written(&format!("<sSup><e>{}</e><sup>{}</sup></sSup>", r("x"), r("2"))),
            "x^{2}"
        );
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
        let braces =
            "<d><dPr><begChr val=\"{\"/><endChr val=\"\"/></dPr><e><r><t>x</t></r></e></d>";
        assert_eq!(written(braces), "\\left\\{x\\right.");
    }

    #[test]
    fn mathematical_italics_are_plain_letters() {
        assert_eq!(written("<r><t>𝐴𝑎𝟏</t></r>"), "Aa1");
    }
}
