"""The document of a thread and what belongs to it: the conversation, the message box, starting a thread."""
