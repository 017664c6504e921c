"""What a call gave, made ready to be read: texts of any size, JSON outlines, tables, differences."""
