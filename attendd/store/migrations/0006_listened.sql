-- How far transcripts were read for facts, so that whichever host comes next goes on from there; and
-- since when a memory is on, as what was said before that is not for it.

CREATE TABLE listened (
  path        TEXT PRIMARY KEY,           -- of a transcript
  session     TEXT NOT NULL,
  at          INTEGER NOT NULL,           -- bytes; all up to there is recorded, or refused
  mark        TEXT NOT NULL,              -- digest of the bytes right before: it is the same file still
  turn        INTEGER NOT NULL,           -- of the session's prompts there; 0: not known
  seen_at     REAL NOT NULL
) WITHOUT ROWID;

ALTER TABLE memory_project ADD COLUMN enabled_at REAL NOT NULL DEFAULT 0;  -- or off
