"""A sentence becomes something testable: Claim and Reported, and how rows of numbers become a verdict."""
