"""Experiments that make figures, and judge claims, of the thesis of Dulle."""
