"""Event patterns and filters: their grammar, what they match, and what a producer's messages can match at all."""
