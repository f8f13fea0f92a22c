"""Files and databases <-> records: strict reading, atomic writing."""
