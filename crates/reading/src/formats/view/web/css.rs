//! CSS of a document: an allow list of properties, and of the characters and functions in their values.
//!
//! The list has nothing that loads, runs or covers other parts of the view: no `url()`, no `@import`, no `position`. A
//! value with any other character is dropped.

/// Declarations of one element or rule.
const MAX_DECLARATIONS: usize = 100;
const MAX_VALUE: usize = 300;

const PROPERTIES: &str = "align-content align-items align-self background background-color border border-bottom \
     border-bottom-color border-bottom-left-radius border-bottom-right-radius border-bottom-style \
     border-bottom-width border-collapse border-color border-left border-left-color \
     border-left-style border-left-width border-radius border-right border-right-color \
     border-right-style border-right-width border-spacing border-style border-top border-top-color \
     border-top-left-radius border-top-right-radius border-top-style border-top-width border-width \
     box-sizing caption-side clear color column-count column-gap column-width columns direction \
     display empty-cells flex flex-basis flex-direction flex-flow flex-grow flex-shrink flex-wrap \
     float font font-family font-size font-stretch font-style font-variant font-weight gap \
     grid-column grid-row grid-template-columns grid-template-rows height hyphens justify-content \
     justify-items justify-self letter-spacing line-height list-style list-style-position \
     list-style-type margin margin-bottom margin-left margin-right margin-top max-height max-width \
     min-height min-width object-fit opacity order overflow overflow-wrap padding padding-bottom \
     padding-left padding-right padding-top row-gap tab-size table-layout text-align text-decoration \
     text-decoration-color text-decoration-line text-indent text-overflow text-transform \
     unicode-bidi vertical-align visibility white-space width word-break";

const FUNCTIONS: [&str; 10] =
    ["rgb", "rgba", "hsl", "hsla", "calc", "min", "max", "clamp", "repeat", "minmax"];

/// Adds the declarations of a `style` attribute that are allowed.
pub(super) fn declarations(written: &str, checked: &mut String) {
    let written = without_comments(written);
    for declaration in written.split(';').take(MAX_DECLARATIONS) {
        if let Some((property, value)) = declaration.split_once(':') {
            let property = property.trim().to_ascii_lowercase();
            if let Some(property) =
                PROPERTIES.split_ascii_whitespace().find(|known| *known == property)
            {
                declaration_of(property, value, checked);
            }
        }
    }
}

/// Adds a declaration whose property this program chose.
pub(super) fn declaration(property: &'static str, value: &str, checked: &mut String) {
    declaration_of(property, value, checked);
}

fn declaration_of(property: &str, value: &str, checked: &mut String) {
    let value = value.trim();
    if !is_allowed(value) {
        return;
    }
    if !checked.is_empty() && !checked.ends_with(['{', ';']) {
        checked.push(';');
    }
    checked.push_str(property);
    checked.push(':');
    checked.push_str(value);
}

fn is_allowed(value: &str) -> bool {
    let is_known = |c: char| {
        c.is_ascii_alphanumeric()
            || matches!(c, ' ' | '#' | '%' | '.' | ',' | '+' | '-' | '/' | '*' | '!' | '_')
            || matches!(c, '(' | ')' | '\'' | '"')
    };
    let count = |wanted: char| value.chars().filter(|c| *c == wanted).count();
    !value.is_empty()
        && value.len() <= MAX_VALUE
        && value.chars().all(is_known)
        && !value.contains("/*")
        && count('\'').is_multiple_of(2)
        && count('"').is_multiple_of(2)
        && count('(') == count(')')
        && functions(value).all(|name| FUNCTIONS.contains(&name.to_ascii_lowercase().as_str()))
}

/// What is before each opening bracket; an empty name within calculations is a bracket alone.
fn functions(value: &str) -> impl Iterator<Item = &str> {
    value.match_indices('(').map(|(at, _)| {
        let before = value.get(..at).unwrap_or_default();
        let from = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        let name = before.get(from.map_or(0, |from| from + 1)..).unwrap_or_default();
        // A name of nothing is fine only within a calculation, which has begun before.
        if name.is_empty() && before.contains('(') { "calc" } else { name }
    })
}

/// Adds the rules of a style sheet that are allowed, each for what is within `scope`. Rules that begin with `@`
/// are left out.
pub(super) fn rules(sheet: &str, scope: &'static str, room: usize, checked: &mut String) {
    let sheet = without_comments(sheet);
    let sheet = sheet.replace("<!--", " ").replace("-->", " ");
    let end = checked.len() + room;
    let mut rest = sheet.as_str();
    while let Some(open) = rest.find(['{', ';']) {
        let (head, after) = rest.split_at(open);
        let head = head.trim();
        if after.starts_with(';') {
            // `@import …;` and the like.
            rest = after.get(1..).unwrap_or_default();
            continue;
        }
        let Some((body, after)) = block(after) else { return };
        rest = after;
        let selectors = if head.starts_with('@') { None } else { selectors(head, scope) };
        let Some(selectors) = selectors else { continue };
        let mut declared = String::new();
        declarations(body, &mut declared);
        if !declared.is_empty() && checked.len() + selectors.len() + declared.len() < end {
            checked.push_str(&selectors);
            checked.push('{');
            checked.push_str(&declared);
            checked.push('}');
        }
    }
}

/// Splits a text after the block in braces that it begins with.
fn block(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0_u32;
    for (at, character) in text.char_indices() {
        match character {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some((text.get(1..at)?, text.get(at + 1..)?));
                }
            }
            _ => {}
        }
    }
    None
}

/// The selectors of a rule, each within the scope; none when one of them is not understood.
fn selectors(written: &str, scope: &'static str) -> Option<String> {
    let mut scoped = Vec::new();
    for selector in written.split(',') {
        let selector = selector.trim();
        let is_known = |c: char| {
            c.is_ascii_alphanumeric()
                || matches!(
                    c,
                    ' ' | '.' | '#' | '-' | '_' | '>' | '+' | '~' | '*' | ':' | '\n' | '\t'
                )
        };
        if selector.is_empty() || selector.len() > 300 || !selector.chars().all(is_known) {
            return None;
        }
        if selector.starts_with(['>', '+', '~']) || selector.contains("dk-") {
            return None;
        }
        // Ids are written with a word before them.
        let selector = selector.replace('#', "#doc-");
        let mut words = selector
            .split_whitespace()
            .skip_while(|word| matches!(word.to_ascii_lowercase().as_str(), "html" | ":root"));
        let first = words.next().unwrap_or("body");
        let rest: Vec<&str> = words.collect();
        let plain = first
            .strip_prefix("body")
            .filter(|rest| rest.is_empty() || rest.starts_with(['.', '#', ':']));
        let mut whole = match plain {
            Some(classes) => format!("{scope}{classes}"),
            None => format!("{scope} {first}"),
        };
        for word in rest {
            whole.push(' ');
            whole.push_str(word);
        }
        // What comes beside the scope is not in it.
        let beside = whole.get(scope.len()..).unwrap_or_default();
        let beside =
            beside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || ".:#-_".contains(c));
        if plain.is_some() && beside.trim_start().starts_with(['+', '~']) {
            return None;
        }
        scoped.push(whole);
    }
    Some(scoped.join(","))
}

fn without_comments(css: &str) -> String {
    let mut plain = String::with_capacity(css.len());
    let mut rest = css;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        plain.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(written: &str) -> String {
        let mut checked = String::new();
        declarations(written, &mut checked);
        checked
    }

    fn sheet(written: &str) -> String {
        let mut checked = String::new();
        rules(written, ".dk-doc", 1 << 20, &mut checked);
        checked
    }

    #[test]
    fn plain_declarations_pass() {
        assert_eq!(
            checked(
                "COLOR: #333 ; font: 12px/1.5 'Open Sans', sans-serif; width:calc(100% - (2px + 1px))"
            ),
            "color:#333;font:12px/1.5 'Open Sans', sans-serif;width:calc(100% - (2px + 1px))"
        );
    }

    #[test]
    fn declarations_that_load_run_or_cover_are_left_out() {
        for hostile in [
            "background:url(http://x/)",
            "background:u\\72l(http://x/)",
            "background:u/**/rl(x)",
            "background-image:url(x)",
            "width:expression(alert(1))",
            "behavior:url(x.htc)",
            "-moz-binding:url(x)",
            "position:fixed",
            "color:red}</style><script>alert(1)</script>",
            "color:red;}body{",
            "content:'x'",
            "font-family:'unfinished",
            "background:image-set('x' 1x)",
            "width:attr(x)",
            "color:var(--x)",
            "width:(1px)",
            "@import 'x'",
        ] {
            let left = checked(hostile);
            assert!(left.is_empty() || left == "color:red", "{hostile}: {left}");
        }
    }

    #[test]
    fn rules_hold_within_the_document_only() {
        assert_eq!(
            sheet(
                "body{color:red} html body.big > p, #top{margin:0} :root{padding:0} a:hover{color:blue}"
            ),
            ".dk-doc{color:red}.dk-doc.big > p,.dk-doc #doc-top{margin:0}.dk-doc{padding:0}.dk-doc a:hover{color:blue}"
        );
        for hostile in [
            "@import url(http://x/);",
            "@font-face{font-family:x;src:url(http://x/)}",
            "@media print{.a{color:red}}",
            "+ .dk-head{color:red}",
            "body + .x{color:red}",
            "body ~ p{color:red}",
            ".dk-head{display:none}",
            "p{background:url(javascript:alert(1))}",
            "</style><script>{color:red}",
            "p{color:red",
            "a[href^='x']{color:red}",
        ] {
            assert_eq!(sheet(hostile), "", "{hostile}");
        }
    }
}
