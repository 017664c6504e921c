"""All that touches the model client library. It takes seconds to import, so `remote` does that late and in a lane."""
