"""Rules: sections in, judgements out."""

RULE_SET = "1"
