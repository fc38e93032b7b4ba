"""How commands end: with next steps to paste, also where a signal stops them."""
