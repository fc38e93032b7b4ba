"""Networks that learn: their layers, their growth, and products that skip zeros."""
