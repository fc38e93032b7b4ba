"""Speed, each as a ratio to a peer in the same run: `python -m benchmarks`, or `wizard bench`."""
