"""Other libraries on Wizard, one short file each."""
