"""What our own comments tell of requests; what others write tells nothing."""

from datetime import timedelta

from bot.github.tags import with_tag
from jobs.inquiries.own_comments import read_told
from jobs.living_comment import comment_tag
from tests.builders import NOON, a_comment, a_request

REQUEST = a_request(key="comment:acme/skills:100:1637327f5879")


def test_a_comment_of_ours_tells_of_its_request() -> None:
    body = with_tag("### Finished: 1 report\n\n| … |", comment_tag(REQUEST))
    [told] = read_told([a_comment(body=body, by_this_app=True)])
    assert (told.key, told.asked_at) == (REQUEST.key, REQUEST.asked_at)
    assert told.headline == "Finished: 1 report"
    assert not told.is_under_way
    assert not told.is_last_word


def test_the_newest_comes_first_and_last_words_are_told_apart() -> None:
    other = REQUEST.model_copy(update={"asked_at": NOON + timedelta(hours=1)})
    comments = [
        a_comment(body=with_tag("### 👀 Benchmarking: 0 of 1 run", comment_tag(REQUEST)),
                  by_this_app=True),
        a_comment(body=with_tag("🚫 **Not started:** x", f"end:{comment_tag(other)}"),
                  by_this_app=True),
    ]  # fmt: skip
    first, second = read_told(comments)
    assert (first.is_last_word, first.is_under_way) == (True, False)
    assert (second.is_last_word, second.is_under_way) == (False, True)


def test_nobody_elses_comment_is_believed_and_no_other_tag_is_taken_for_one() -> None:
    body = with_tag("### Finished: 9 reports", comment_tag(REQUEST))
    comments = [
        a_comment(body=body, by_this_app=False),
        a_comment(body=with_tag("help", "comment:100:help"), by_this_app=True),
        a_comment(body="no tag at all", by_this_app=True),
        a_comment(body=f"> quoted\n{body}", by_this_app=True),
    ]
    assert read_told(comments) == []
