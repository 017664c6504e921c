"""The small controls that every view is made of: buttons, fields, lists, tabs, texts."""
