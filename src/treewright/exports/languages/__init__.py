"""Program languages: nested questions for people, tables and a loop for large trees."""
