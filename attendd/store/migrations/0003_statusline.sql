-- What a client states of its sessions through `attend statusline`: one row for each, the latest.

CREATE TABLE stated (
  session       TEXT PRIMARY KEY,         -- the client's id
  at            REAL NOT NULL,            -- when any of it changed last, wall clock
  model         TEXT,                     -- NULL, here and below: the client didn't say
  model_name    TEXT,                     -- as the client shows it
  version       TEXT,                     -- the client's release
  window_tokens INTEGER,                  -- size of the context window
  used_tokens   INTEGER,                  -- in it, by the last answer
  used_pct      REAL,
  cost_usd      REAL,                     -- of the session so far
  cache_read    INTEGER,                  -- tokens of the last answer's request
  cache_written INTEGER,
  cache_until   REAL                      -- when the prompt cache ends, wall clock
);

-- A mailbox's digested messages are counted each time a status line is drawn.
CREATE INDEX delivery_announced ON delivery(session) WHERE message IS NOT NULL AND state = 'announced';
