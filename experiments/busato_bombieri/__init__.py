"""Experiments on what the survey of Busato and Bombieri says about sharing out work."""
