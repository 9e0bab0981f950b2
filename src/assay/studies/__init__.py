"""A claim is tested: the contract of a study, the runner, records, the ledger and the report."""
