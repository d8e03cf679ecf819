//! Formats that are text.

pub(super) const HTML: &str = r#"<!DOCTYPE html><html><head><title>A page</title><meta charset="utf-8"></head><body>
<h1>Heading</h1><p>Some <b>bold</b> and <a href="http://127.0.0.1:9/x">linked</a> words &amp; &#8364; signs.</p>
<ul><li>one<ul><li>within</li></ul></li><li>two</li></ul>
<table><tr><th colspan="2">Sum</th></tr><tr><td rowspan="2">1</td><td>2</td></tr><tr><td>3</td></tr></table>
<pre>as  it is</pre><img src="data:image/png;base64,AAAA" alt="nothing"></body></html>
"#;

pub(super) const EML: &str = "From: Ada <ada@acme.test>\r\nTo: Bob <bob@globex.test>\r\n\
Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=\r\nDate: Sun, 15 Feb 2026 12:00:00 +0000\r\nMessage-ID: <1@acme.test>\r\n\
MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=\"b1\"\r\n\r\n\
--b1\r\nContent-Type: multipart/alternative; boundary=\"b2\"\r\n\r\n\
--b2\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nDear Bob, =C3=BC\r\n\
--b2\r\nContent-Type: text/html\r\n\r\n<p>Dear <b>Bob</b></p>\r\n--b2--\r\n\
--b1\r\nContent-Type: text/csv; name=\"sums.csv\"\r\nContent-Disposition: attachment; filename=\"sums.csv\"\r\n\
Content-Transfer-Encoding: base64\r\n\r\nYSxiCjEsMgo=\r\n--b1--\r\n";

pub(super) const MARKDOWN: &str = "# Notes\n\nSome *soft* and **loud** words, [linked](http://127.0.0.1:9/).\n\n\
1. one\n   - within\n2. two\n\n> said\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```rust\nlet x = 1;\n```\n\n$$x^2$$\n";

pub(super) const TEXT: &str =
    "Dear all,\n\nthe meeting is on 3 May at 10:30.\n\n  Item    Count\n  Pen         3\n\nGrüße\n";
