"""Sessions without a skill that are paid for once: kept, chosen, held against the new arm."""
