"""The sensors that ship with attend; each uses `attendd.api` alone, as a stranger's would."""
