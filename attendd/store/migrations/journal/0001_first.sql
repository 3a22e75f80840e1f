-- Every observation, gate decision and delivery with a reason code. Capped, and may be deleted
-- at any moment: nothing but questions asked later depends on it.

CREATE TABLE entry (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  at         REAL NOT NULL,               -- wall seconds
  session    TEXT NOT NULL,
  attachment TEXT NOT NULL,
  sensor     TEXT NOT NULL,
  kind       TEXT NOT NULL,               -- observation, gate, delivery, health, host
  code       TEXT NOT NULL,
  text       TEXT NOT NULL,
  magnitude  REAL NOT NULL,
  batch      TEXT NOT NULL,               -- correlation of the batch it became part of, or empty
  detail     TEXT NOT NULL
);
CREATE INDEX entry_session ON entry(session, id);
CREATE INDEX entry_batch ON entry(batch) WHERE batch <> '';

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
