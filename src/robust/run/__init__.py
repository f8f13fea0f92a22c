"""Plans, asks, records, summarises and derives again; backends and files are known only as protocols."""
