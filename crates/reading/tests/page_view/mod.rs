//! Page views: what they show, and that nothing of a hostile document does anything in them.

use crate::office_files::{docx, pptx, xlsx, zip_of};
use domain::FileKind;
use reading::formats::view::render;
use reading::{Limits, ReadError, Source};

fn view(bytes: &[u8], kind: FileKind) -> String {
    try_view(bytes, kind).unwrap()
}

fn try_view(bytes: &[u8], kind: FileKind) -> Result<String, ReadError> {
    let limits = Limits::default();
    render(&Source { bytes, kind, file_name: "file", password: None, limits })
}

/// What is within the body.
fn body(html: &str) -> &str {
    html.split_once("<body").unwrap().1
}

/// The elements that a view may have.
const ALLOWED: &str = "!doctype html head meta title style body p div span br h1 h2 h3 h4 h5 h6 section article header \
     footer nav a b i u em strong img ul ol li table thead tbody tr th td colgroup col pre code font \
     center svg path sup sub blockquote hr";

/// Fails when the view has anything that runs, loads, sends or leads somewhere.
fn assert_inert(html: &str, of: &str) {
    let tags: Vec<&str> =
        html.split('<').skip(1).map(|rest| rest.split('>').next().unwrap()).collect();
    for tag in &tags {
        let name = tag.split([' ', '/']).next().unwrap().to_ascii_lowercase();
        let is_allowed =
            name.is_empty() || ALLOWED.split_ascii_whitespace().any(|known| known == name);
        assert!(is_allowed, "{of}: <{tag}> in {html}");
        // Only tabs lead anywhere: to another place in the view.
        for attribute in tag.split(['"', '\'']).step_by(2) {
            let name = attribute.trim().trim_end_matches('=').to_ascii_lowercase();
            assert!(!name.starts_with("on"), "{of}: {attribute} in <{tag}>");
            assert!(
                !matches!(
                    name.as_str(),
                    "srcset"
                        | "action"
                        | "formaction"
                        | "background"
                        | "xlink:href"
                        | "ping"
                        | "poster"
                        | "srcdoc"
                ),
                "{of}: <{tag}>"
            );
        }
        if let Some((_, target)) = tag.split_once("href=\"") {
            assert!(target.starts_with("#page-"), "{of}: <{tag}>");
        }
        if let Some((_, source)) = tag.split_once("src=\"") {
            assert!(source.starts_with("data:image/"), "{of}: <{tag}>");
            assert!(!source.starts_with("data:image/svg"), "{of}: <{tag}>");
        }
        if name == "meta" {
            let ours = [
                "meta charset=",
                "meta http-equiv=\"Content-Security-Policy\"",
                "meta name=\"viewport\"",
            ];
            assert!(ours.iter().any(|start| tag.starts_with(start)), "{of}: <{tag}>");
        }
    }
    // In attributes and style sheets, apart from text, which may say anything.
    let mut code: String = tags.join("\n");
    for sheet in html.split("<style>").skip(1) {
        code.push_str(sheet.split("</style>").next().unwrap());
    }
    let code = code.to_ascii_lowercase().replace("url(data:image/", "(");
    for banned in [
        "url(",
        "expression(",
        "@import",
        "@font-face",
        "behavior:",
        "-moz-binding",
        "javascript:",
        "position:fixed;inset:0;",
        "data:text",
    ] {
        let titled = code.contains("title=\"") && banned == "javascript:";
        assert!(!code.contains(banned) || titled, "{of}: {banned} in {html}");
    }
}

/// Scripts in every place, and patterns that became scripts when a filter's output was parsed again.
const HOSTILE: [&str; 46] = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//evil/x.js></SCRIPT>",
    "<img src=x onerror=alert(1)>",
    "<img src='javascript:alert(1)'>",
    "<img src=http://evil/pixel.png width=600 alt=banner>",
    "<img srcset='http://evil/x 2x'>",
    "<img src='data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+'>",
    "<body onload=alert(1) background=http://evil/x>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href=https://evil/ ping=http://evil/ target=_top onclick=alert(1)>x</a>",
    "<iframe src=http://evil/ srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data=http://evil/></object><embed src=http://evil/>",
    "<form action=http://evil/><input name=a value=b><button formaction=http://evil/>x</button></form>",
    "<meta http-equiv=refresh content='0;url=http://evil/'>",
    "<base href=http://evil/>",
    "<link rel=stylesheet href=http://evil/x.css>",
    "<style>@import url(http://evil/x.css);</style>",
    "<style>body{background:url(http://evil/)}</style>",
    "<style></style><script>alert(1)</script>",
    "<style><img src=x onerror=alert(1)></style>",
    "<style>p{color:red}</sty</style>le><script>alert(1)</script>",
    "<style>*{x:expression(alert(1))}</style>",
    "<style>@font-face{font-family:x;src:url(http://evil/)}</style>",
    "<p style='background:url(http://evil/)'>x</p>",
    "<p style='width:expression(alert(1))'>x</p>",
    "<p style='behavior:url(#default#time2)'>x</p>",
    "<p style=\"color:red;background:u\\72l(http://evil/)\">x</p>",
    "<p style='position:fixed;inset:0;z-index:99'>x</p>",
    "<svg onload=alert(1)><script>alert(1)</script><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<svg><style><img src=x onerror=alert(1)></style></svg>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>",
    "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<math><mi//xlink:href='data:x,<script>alert(1)</script>'>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(1)</script></template>",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>",
    "<xmp><img title='</xmp><img src=x onerror=alert(1)>'></xmp>",
    "<textarea></textarea><script>alert(1)</script>",
    "<title></title><img src=x onerror=alert(1)>",
    "<noembed><img title='</noembed><img src onerror=alert(1)>'></noembed>",
    "<select><template><style><!--</style><a rel='--></style></template></select><img id=x src onerror=alert(1)>'>",
    "<video poster=http://evil/><source src=http://evil/ onerror=alert(1)></video>",
    "<x-custom onpointerenter=alert(1) style='display:block'>x</x-custom>",
    "<p class='dk-sheet dk-tabs' id='page-1'>x</p>",
    "<!--[if IE]><script>alert(1)</script><![endif]--><plaintext><script>alert(1)</script>",
];

#[test]
fn nothing_of_a_hostile_page_runs_or_loads() {
    for hostile in HOSTILE {
        let html = view(hostile.as_bytes(), FileKind::Html);
        assert_inert(&html, hostile);
        let within = format!("<div><table><tr><td>{hostile}</td></tr></table><p>after</p></div>");
        assert_inert(&view(within.as_bytes(), FileKind::Html), &within);
        // What was written once stays the same when it is read and written again.
        let again = view(html.as_bytes(), FileKind::Html);
        assert_inert(&again, hostile);
    }
    let all = HOSTILE.concat();
    assert_inert(&view(all.as_bytes(), FileKind::Html), "all of them");
}

#[test]
fn nothing_of_a_hostile_mail_runs_or_loads() {
    for hostile in HOSTILE {
        let mail = format!(
            "From: \"{hostile}\" <a@b.example>\r\nSubject: {hostile}\r\nContent-Type: text/html\r\n\r\n{hostile}"
        );
        assert_inert(&view(mail.as_bytes(), FileKind::Eml), hostile);
        let plain = format!("From: a@b.example\r\nSubject: x\r\n\r\n{hostile}");
        assert_inert(&view(plain.as_bytes(), FileKind::Eml), hostile);
    }
}

#[test]
fn nothing_of_a_hostile_office_file_runs_or_loads() {
    for hostile in HOSTILE {
        let text = hostile.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;");
        let document = docx(&format!(
            r#"<w:p><w:pPr><w:pStyle w:val="{text}"/><w:jc w:val="{text}"/><w:ind w:left="{text}"/></w:pPr>
            <w:r><w:rPr><w:color w:val="{text}"/><w:rFonts w:ascii="{text}"/><w:sz w:val="{text}"/></w:rPr><w:t>{text}</w:t></w:r></w:p>
            <w:tbl><w:tr><w:tc><w:tcPr><w:shd w:fill="{text}"/><w:gridSpan w:val="{text}"/></w:tcPr><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"#
        ));
        assert_inert(&view(&document, FileKind::Docx), hostile);
        let sheet = xlsx(
            r#"<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c></row></sheetData></worksheet>"#,
            &text,
        );
        assert_inert(&view(&sheet, FileKind::Xlsx), hostile);
        let slide = pptx(
            &format!(
                r#"<p:sld><p:cSld><p:spTree><p:sp><p:nvSpPr><p:cNvPr descr="{text}"/></p:nvSpPr>
                <p:spPr><a:xfrm rot="{text}"><a:off x="0" y="0"/><a:ext cx="99999" cy="99999"/></a:xfrm>
                <a:prstGeom prst="{text}"/><a:solidFill><a:srgbClr val="{text}"/></a:solidFill></p:spPr>
                <p:txBody><a:p><a:pPr><a:buChar char="{text}"/></a:pPr><a:r><a:rPr sz="{text}"><a:latin typeface="{text}"/></a:rPr><a:t>{text}</a:t></a:r></a:p></p:txBody>
                </p:sp></p:spTree></p:cSld></p:sld>"#
            ),
            "<p:notes/>",
        );
        let html = view(&slide, FileKind::Pptx);
        assert_inert(&html, hostile);
        assert!(html.contains("dk-shape"), "{html}");
    }
}

#[test]
fn a_web_page_keeps_its_look() {
    let page = "<style>.big{font-size:20px} body{color:#333}</style>\
                <h1 class=big>Hello</h1><table bgcolor='#eee' width=300><tr><td colspan=2 align=right>x</td></tr></table>\
                <a href='https://example.org/a'>link</a>";
    let html = view(page.as_bytes(), FileKind::Html);
    assert!(html.contains(".dk-doc .big{font-size:20px}.dk-doc{color:#333}"), "{html}");
    assert!(html.contains("<h1 class=\"big\">Hello</h1>"), "{html}");
    assert!(html.contains("background-color:#eee;width:300px"), "{html}");
    assert!(html.contains("<td colspan=\"2\" style=\"text-align:right\">x</td>"), "{html}");
    assert!(html.contains("<a title=\"https://example.org/a\">link</a>"), "{html}");
}

#[test]
fn pictures_of_other_servers_are_not_loaded_and_the_view_says_so() {
    let html = view(b"<img src=https://x.example/a.png alt='Our house'>", FileKind::Html);
    assert!(html.contains("Our house") && html.contains("not loaded"), "{html}");
    let pixel = view(b"<img src=https://x.example/a.png width=1 height=1>", FileKind::Html);
    assert!(!pixel.contains("not loaded"), "{pixel}");
}

#[test]
fn a_mail_shows_who_wrote_it_its_pictures_and_what_is_attached() {
    let mail = "From: Ada <ada@example.org>\r\nTo: bob@example.org\r\nSubject: The house\r\n\
        Date: Mon, 2 Mar 2026 09:15:00 +0100\r\nContent-Type: multipart/mixed; boundary=m\r\n\r\n\
        --m\r\nContent-Type: multipart/related; boundary=r\r\n\r\n\
        --r\r\nContent-Type: text/html\r\n\r\n<p>See <img src=\"cid:pic@x\"></p>\r\n\
        --r\r\nContent-Type: image/png\r\nContent-ID: <pic@x>\r\nContent-Transfer-Encoding: base64\r\n\r\nR0lGODlhAQABAA==\r\n--r--\r\n\
        --m\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=\"rent.txt\"\r\n\r\n1480\r\n--m--\r\n";
    let html = view(mail.as_bytes(), FileKind::Eml);
    assert!(html.contains("Ada &lt;ada@example.org&gt;"), "{html}");
    assert!(html.contains("2026-03-02 09:15 +01:00"), "{html}");
    // What the mail calls a PNG is a GIF.
    assert!(html.contains("src=\"data:image/gif;base64,R0lGODlhAQABAA==\""), "{html}");
    assert!(html.contains("<b>rent.txt</b>"), "{html}");
}

#[test]
fn the_body_of_a_mail_cannot_change_its_headers() {
    let mail = "From: a@b.example\r\nSubject: x\r\nContent-Type: text/html\r\n\r\n\
        <style>.dk-mailhead{display:none} header{display:none} body ~ *{color:red}</style>\
        <p style='position:absolute;top:0'>From: the bank</p>";
    let html = view(mail.as_bytes(), FileKind::Eml);
    assert!(
        !html.contains(".dk-mailhead{display:none}") && !html.contains("position:absolute;top:0")
    );
    assert!(html.contains(".dk-doc header{display:none}"), "within the body it may: {html}");
    assert!(html.contains("contain:paint"), "{html}");
}

#[test]
fn a_word_document_shows_formats_lists_and_tables() {
    let document = docx(
        r#"<w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:b/><w:sz w:val="40"/><w:color w:val="FF0000"/></w:rPr><w:t>Title</w:t></w:r></w:p>
        <w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>first</w:t></w:r></w:p>
        <w:tbl><w:tblPr><w:tblBorders><w:top w:val="single" w:sz="8" w:color="00FF00"/></w:tblBorders></w:tblPr>
        <w:tr><w:tc><w:tcPr><w:vMerge w:val="restart"/></w:tcPr><w:p><w:r><w:t>tall</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr>
        <w:tr><w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
        <w:p><w:r><w:br w:type="page"/><w:t>next page</w:t></w:r></w:p>
        <w:sectPr><w:pgSz w:w="11906" w:h="16838"/></w:sectPr>"#,
    );
    let html = view(&document, FileKind::Docx);
    assert!(html.contains("text-align:center"), "{html}");
    assert!(html.contains("font-size:20pt;font-weight:bold;color:#ff0000"), "{html}");
    assert!(html.contains(">1.</span>first"), "{html}");
    assert!(html.contains("<td rowspan=\"2\" style=\"border-top:1pt solid #00ff00"), "{html}");
    assert!(html.contains("width:595.3pt;min-height:841.9pt"), "{html}");
    assert_eq!(body(&html).matches("class=\"dk-sheet\"").count(), 2, "{html}");
}

#[test]
fn a_sheet_shows_values_as_formatted_and_says_what_is_left_out() {
    let rows: Vec<String> = (1..=2_100)
        .map(|row| format!(r#"<row r="{row}"><c r="A{row}" s="1"><v>{row}</v></c></row>"#))
        .collect();
    let rows = rows.concat();
    let sheet = format!(
        r#"<worksheet><dimension ref="A1:B2100"/><cols><col min="1" max="1" width="20"/></cols><sheetData>{rows}</sheetData>
        <mergeCells><mergeCell ref="A1:B2"/></mergeCells></worksheet>"#
    );
    let html = view(&xlsx(&sheet, "x"), FileKind::Xlsx);
    assert!(html.contains("rowspan=\"2\" colspan=\"2\""), "{html}");
    assert!(html.contains(">1,234.00</td>"), "numbers have their formats");
    assert!(html.contains("width:105pt"), "columns have their widths");
    assert!(html.contains("Only the first 2000 rows of 2100"), "{}", &html[html.len() - 900..]);
    assert!(!html.contains(">2,001.00<"));
}

#[test]
fn a_shape_takes_its_place_from_the_layout() {
    let slide = r#"<p:sld><p:cSld><p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr><p:spPr/>
        <p:txBody><a:p><a:r><a:t>Plans</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>"#;
    let layout = r#"<p:sldLayout><p:cSld><p:bg><p:bgPr><a:solidFill><a:srgbClr val="112233"/></a:solidFill></p:bgPr></p:bg>
        <p:spTree><p:sp><p:nvSpPr><p:nvPr><p:ph type="title"/></p:nvPr></p:nvSpPr>
        <p:spPr><a:xfrm><a:off x="127000" y="254000"/><a:ext cx="1270000" cy="635000"/></a:xfrm></p:spPr>
        <p:txBody><a:lstStyle><a:lvl1pPr algn="ctr"><a:defRPr sz="4400" b="1"/></a:lvl1pPr></a:lstStyle></p:txBody></p:sp></p:spTree></p:cSld></p:sldLayout>"#;
    let relation = |kind: &str, target: &str| {
        format!(
            r#"<Relationships><Relationship Id="r0" Type="http://x/{kind}" Target="{target}"/></Relationships>"#
        )
    };
    let presentation = r#"<p:presentation><p:sldSz cx="9144000" cy="6858000"/><p:sldIdLst><p:sldId id="256" r:id="r0"/></p:sldIdLst></p:presentation>"#;
    let file = zip_of(&[
        ("ppt/presentation.xml", presentation),
        ("ppt/_rels/presentation.xml.rels", &relation("slide", "slides/slide1.xml")),
        ("ppt/slides/slide1.xml", slide),
        ("ppt/slides/_rels/slide1.xml.rels", &relation("slideLayout", "../slideLayouts/l.xml")),
        ("ppt/slideLayouts/l.xml", layout),
    ]);
    let html = view(&file, FileKind::Pptx);
    assert!(
        html.contains("left:calc(var(--u)*10);top:calc(var(--u)*20);width:calc(var(--u)*100)"),
        "{html}"
    );
    assert!(
        html.contains("text-align:center") && html.contains("font-size:calc(var(--u)*44)"),
        "{html}"
    );
    assert!(html.contains("--u:calc(min(100vw - 24px,1200px)/720)"), "{html}");
    assert!(html.contains("background-color:#112233"), "{html}");
}

#[test]
fn kinds_without_a_view_and_damaged_files_are_errors() {
    assert!(matches!(try_view(b"text", FileKind::Txt), Err(ReadError::Unsupported { .. })));
    assert!(matches!(try_view(b"PK broken", FileKind::Docx), Err(ReadError::Damaged { .. })));
    let deep = "<div>".repeat(600);
    assert!(matches!(try_view(deep.as_bytes(), FileKind::Html), Err(ReadError::TooLarge { .. })));
}
