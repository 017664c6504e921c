"""What was said in a thread, put together for reading: who spoke, which calls came of it, what is being written now."""
