//! CSS declarations: properties and keywords are constants, numbers and colours come from the document.

use super::colour::Colour;

/// The limit of lengths.
const MAX_POINTS: f32 = 20_000.0;

/// The unit of lengths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Unit {
    #[default]
    Points,
    /// Points of a slide, which scales with the window: multiples of `--u`.
    Slide,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Style {
    css: String,
    unit: Unit,
}

impl Style {
    pub(super) fn new(unit: Unit) -> Self {
        Self { css: String::new(), unit }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.css.is_empty()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.css
    }

    pub(super) fn keyword(&mut self, property: &'static str, value: &'static str) -> &mut Self {
        self.declare(property, value)
    }

    pub(super) fn length(&mut self, property: &'static str, points: f32) -> &mut Self {
        let length = self.written(points);
        self.declare(property, &length)
    }

    pub(super) fn percent(&mut self, property: &'static str, percent: f32) -> &mut Self {
        self.declare(property, &format!("{}%", decimal(percent)))
    }

    pub(super) fn percents(&mut self, property: &'static str, x: f32, y: f32) -> &mut Self {
        self.declare(property, &format!("{}% {}%", decimal(x), decimal(y)))
    }

    pub(super) fn number(&mut self, property: &'static str, number: f32) -> &mut Self {
        self.declare(property, &decimal(number))
    }

    pub(super) fn colour(&mut self, property: &'static str, colour: Colour) -> &mut Self {
        self.declare(property, &colour.css())
    }

    /// `1.5pt solid #rrggbb`.
    pub(super) fn border(
        &mut self,
        property: &'static str,
        points: f32,
        line: &'static str,
        colour: Colour,
    ) -> &mut Self {
        let border = format!("{} {line} {}", self.written(points), colour.css());
        self.declare(property, &border)
    }

    pub(super) fn rotation(&mut self, degrees: f32, flip: (bool, bool)) -> &mut Self {
        let sign = |flipped| if flipped { "-1" } else { "1" };
        let turned = (degrees != 0.0).then(|| format!("rotate({}deg)", decimal(degrees)));
        let flipped =
            (flip != (false, false)).then(|| format!("scale({},{})", sign(flip.0), sign(flip.1)));
        let transform: Vec<String> = turned.into_iter().chain(flipped).collect();
        if transform.is_empty() { self } else { self.declare("transform", &transform.join(" ")) }
    }

    pub(super) fn gradient(&mut self, degrees: f32, stops: &[(f32, Colour)]) -> &mut Self {
        let stops: Vec<String> = stops
            .iter()
            .map(|(percent, colour)| format!("{} {}%", colour.css(), decimal(*percent)))
            .collect();
        let gradient = format!("linear-gradient({}deg,{})", decimal(degrees), stops.join(","));
        self.declare("background", &gradient)
    }

    /// A font, with substitutes for systems where it is not installed.
    pub(super) fn font(&mut self, name: &str) -> &mut Self {
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
        if name.is_empty() || name.len() > 60 || !name.chars().all(is_plain) {
            return self;
        }
        self.declare("font-family", &format!("'{name}',{}", substitutes(name)))
    }

    pub(super) fn extend(&mut self, other: &Self) -> &mut Self {
        if !other.css.is_empty() {
            if !self.css.is_empty() {
                self.css.push(';');
            }
            self.css.push_str(&other.css);
        }
        self
    }

    /// Declarations that [`super::web::css`] has checked.
    pub(super) fn of_checked(css: String) -> Self {
        Self { css, unit: Unit::Points }
    }

    /// The width in points that a slide has: [`Unit::Slide`] is its share of the window.
    pub(super) fn slide_unit(&mut self, width: f32) -> &mut Self {
        let unit = format!("calc(min(100vw - 24px,1200px)/{})", decimal(width.max(1.0)));
        self.declare("--u", &unit)
    }

    fn written(&self, points: f32) -> String {
        let points = if points.is_finite() { points.clamp(-MAX_POINTS, MAX_POINTS) } else { 0.0 };
        match self.unit {
            Unit::Points => format!("{}pt", decimal(points)),
            Unit::Slide => format!("calc(var(--u)*{})", decimal(points)),
        }
    }

    fn declare(&mut self, property: &'static str, value: &str) -> &mut Self {
        if !self.css.is_empty() {
            self.css.push(';');
        }
        self.css.push_str(property);
        self.css.push(':');
        self.css.push_str(value);
        self
    }
}

/// Formats a number with up to two decimals.
pub(super) fn decimal(number: f32) -> String {
    if !number.is_finite() {
        return "0".to_owned();
    }
    let written = format!("{number:.2}");
    let written = written.trim_end_matches('0').trim_end_matches('.');
    if written == "-0" { "0".to_owned() } else { written.to_owned() }
}

/// Fonts with the same letter widths, of which most systems have one.
fn substitutes(name: &str) -> &'static str {
    let name = name.to_lowercase();
    let has = |names: &[&str]| names.iter().any(|part| name.contains(part));
    if has(&["mono", "courier", "consolas", "menlo", "code"]) {
        "'Courier New','Liberation Mono',monospace"
    } else if has(&["calibri", "aptos", "carlito", "segoe", "candara", "corbel"]) {
        "Carlito,Calibri,'Liberation Sans',Arial,sans-serif"
    } else if has(&["cambria", "caladea"]) {
        "Caladea,Cambria,'Liberation Serif',serif"
    } else if has(&["times", "serif", "georgia", "garamond", "palatino", "book", "roman"])
        && !name.contains("sans")
    {
        "'Liberation Serif','Times New Roman',serif"
    } else {
        "'Liberation Sans',Arial,Helvetica,sans-serif"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_font_name_cannot_leave_its_declaration() {
        let mut style = Style::default();
        style.font("Arial';background:url(x)").font("a\\27 ").font("Open Sans");
        assert_eq!(
            style.as_str(),
            "font-family:'Open Sans','Liberation Sans',Arial,Helvetica,sans-serif"
        );
    }

    #[test]
    fn lengths_are_short_and_finite() {
        let mut style = Style::default();
        style.length("width", 12.0).length("left", f32::NAN).length("top", -1.0e30);
        assert_eq!(style.as_str(), "width:12pt;left:0pt;top:-20000pt");
        let mut style = Style::new(Unit::Slide);
        assert_eq!(style.length("width", 36.5).as_str(), "width:calc(var(--u)*36.5)");
    }
}
