"""A record is one value, whichever way a field of it is written."""

from __future__ import annotations

import pytest

from workbench.authoring import Record


@pytest.mark.parametrize("name", ["toolCallId", "tool_call_id"])
def test_a_field_that_is_written_as_an_attribute_is_a_field_of_the_mapping(name: str) -> None:
    message = Record(role="tool", toolCallId="one")

    setattr(message, name, "two")

    assert dict(message) == {"role": "tool", "toolCallId": "two"}
    assert message.tool_call_id == message.toolCallId == "two"


def test_a_field_that_is_new_gets_the_name_that_travels() -> None:
    message = Record()
    message.tool_call_id = "one"
    assert dict(message) == {"toolCallId": "one"}
    assert message.content is None
