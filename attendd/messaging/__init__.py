"""How messages fare once they were offered: proof, talks that go round, lost mail."""
