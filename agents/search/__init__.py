"""Search: sample the hands that a seat cannot see, play them out, and choose the best action on average."""
