"""Who may send what to the server: addresses, limits and names."""
