"""A player that recognises whom it sits with, and plays the best answer to them."""
