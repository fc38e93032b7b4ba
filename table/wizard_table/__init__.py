"""Games for people: sessions, narration, languages, the terminal and the browser."""
