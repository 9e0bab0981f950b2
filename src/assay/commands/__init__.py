"""What the commands do; `assay.cli` says what they take. Each returns its exit code and imports what it needs."""
