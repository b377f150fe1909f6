"""How comments are shown: what is hidden, what is linked, what never gets through."""

import pytest

from demo.github.markdown import render_markdown


def _render(text: str) -> str:
    return render_markdown(text, repository="octo/skills")


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a ~~b~~", "<s>b</s>"),
        ("one\ntwo", "one<br>"),
        ("- [x] done", '<input type="checkbox" disabled checked> done'),
        ("see https://example.com/a_b.", 'href="https://example.com/a_b"'),
        ("| a |\n|--:|\n| 1 |", '<td style="text-align:right">1</td>'),
        ("<details>\n<summary>S</summary>\n\n**b**\n\n</details>", "<strong>b</strong>"),
        ("> [!NOTE]\n> text", 'class="markdown-alert markdown-alert-note"'),
        ("```json\n{}\n```", '<code class="language-json">{}'),
        ("x[^1]\n\n[^1]: note", 'href="#fn1"'),
    ],
)
def test_githubs_markdown_is_rendered(text: str, html: str) -> None:
    assert html in _render(text)


def test_a_line_of_a_file_does_not_break_where_it_ends() -> None:
    assert "<br>" not in render_markdown("one\ntwo", repository="octo/skills", is_file=True)


@pytest.mark.parametrize(
    "text",
    ["<!-- skillbench:v1 {} -->", "a <!-- b --> c", "<!--\nmany\nlines\n-->\n\nafter"],
)
def test_html_comments_are_invisible(text: str) -> None:
    assert "skillbench" not in _render(text)
    assert "&lt;!--" not in _render(text)
    assert "<!--" not in _render(text)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert(1))",
        "<a href='javascript:alert(1)'>a</a>",
        "<svg onload=alert(1)>",
        "<iframe src='//evil'></iframe>",
        "<style>body{display:none}</style>",
        "<p style='position:fixed'>x</p>",
        "<form action='/x'><input name='a'></form>",
        "<details ontoggle=alert(1) open>x</details>",
        "<a class='button primary' href='/x'>x</a>",
    ],
)
def test_nothing_hostile_gets_through(text: str) -> None:
    html = _render(text)
    for sign in ("<script", "onerror", "<svg", "<iframe", "<style", "position:", "<form"):
        assert sign not in html
    for sign in ("ontoggle", "href='javascript", 'href="javascript', "name=", "button"):
        assert sign not in html


def test_filtered_tags_are_shown_as_text() -> None:
    assert "&lt;script&gt;" in _render("before <script>x</script>")


@pytest.mark.parametrize(
    "text",
    [
        "@maria",
        "(@maria)",
        r"\@maria",
        "&#64;maria",
        "<b>@maria</b>",
        "# @maria",
        "| @maria |\n|-|",
    ],
)
def test_a_mention_is_linked_however_it_was_written(text: str) -> None:
    assert '<a class="user-mention" href="/maria">@maria</a>' in _render(text)


@pytest.mark.parametrize(
    "text",
    ["`@maria`", "```\n@maria\n```", "a@maria.org", "@\u200bmaria", "x@maria", "@-maria"],
)
def test_what_github_does_not_take_for_a_mention_is_not_linked(text: str) -> None:
    assert "user-mention" not in _render(text)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("#12", "/octo/skills/issues/12"),
        ("acme/tools#3", "/acme/tools/issues/3"),
        ("GH-4", "/octo/skills/issues/4"),
    ],
)
def test_references_lead_to_their_issues(text: str, address: str) -> None:
    assert f'<a class="issue-link" href="{address}">{text}</a>' in _render(f"see {text}.")


@pytest.mark.parametrize("text", ["`#12`", "a#12", "#x", "[#12](https://example.com/)"])
def test_what_is_no_reference_stays_text(text: str) -> None:
    assert "issue-link" not in _render(text)


def test_no_picture_is_fetched_from_elsewhere() -> None:
    html = _render("![chart](https://example.com/c.png) <img src='//x/y' alt='z'>")
    assert "<img" not in html
    assert ">chart</span>" in html


def test_a_fence_cannot_be_broken_out_of_by_html() -> None:
    html = _render("````\n</code></pre><b>x</b>\n```\n````")
    assert "&lt;/code&gt;&lt;/pre&gt;&lt;b&gt;" in html
