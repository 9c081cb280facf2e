"""Tests of the room ``viewer``."""
