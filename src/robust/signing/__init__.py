"""Keys, envelopes and statements: who says what about which files, in bytes; the one home of cryptography."""
