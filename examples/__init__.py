"""Training Wizard with other libraries, one short file each."""
