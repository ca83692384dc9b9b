"""Models of other libraries, read without them: files and fitted objects become trees of ours."""
