"""Mutation testing of what runs on the host: small faults in ``reedsp/``, and which of them no test notices."""
