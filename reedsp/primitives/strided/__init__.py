"""Reductions and scans by trees whose levels lie a stride apart in place, as Dulle has them (sections 5.1 and 5.2)."""
