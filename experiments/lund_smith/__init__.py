"""Experiments that make the table and judge the claims of the paper of Lund and Smith."""
