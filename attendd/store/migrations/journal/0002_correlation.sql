-- One id from the observation on: of every decision about it, and of the batch that it opens.

ALTER TABLE entry ADD COLUMN correlation TEXT NOT NULL DEFAULT '';
CREATE INDEX entry_correlation ON entry(correlation) WHERE correlation <> '';
