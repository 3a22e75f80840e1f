-- Sessions, the processes attached to them, what the host says to them, and how that fared.
--
-- Times ending in _at are wall seconds, for people. Times ending in _bt are seconds on the clock
-- that counts suspend, and mean something only together with the boot id beside them.
--
-- A later file may add tables, columns with a default, and indexes. It changes and removes
-- nothing, so that the release before it goes on working beside it, and uses nothing that
-- SQLite 3.34 does not know. Every statement ends with its line.

CREATE TABLE session (
  id          TEXT PRIMARY KEY,           -- the client's id, or 'as:NAME', or 'tty:…'
  harness     TEXT NOT NULL,              -- 'claude-code' or 'none'
  project     TEXT NOT NULL DEFAULT '',   -- common git dir or directory: one key for all worktrees
  workdir     TEXT NOT NULL DEFAULT '',
  transcript  TEXT NOT NULL DEFAULT '',
  name        TEXT NOT NULL DEFAULT '',   -- for display only, never a key
  declared    INTEGER NOT NULL DEFAULT 0, -- 1: the name is the process's own claim
  enrolled_at REAL NOT NULL,
  seen_at     REAL NOT NULL,              -- last sign of life
  successor   TEXT NOT NULL DEFAULT ''    -- the id under which this conversation's process went on
);

CREATE TABLE attachment (
  id           TEXT PRIMARY KEY,          -- boot:pidns:pid:start of the client, or of the reader where there is none
  session      TEXT NOT NULL,
  conduit      TEXT NOT NULL,             -- 'monitor' or 'terminal'
  reader_pid   INTEGER NOT NULL,
  reader_start TEXT NOT NULL DEFAULT '',
  client_pid   INTEGER,
  client_start TEXT NOT NULL DEFAULT '',
  boot         TEXT NOT NULL,
  pidns        TEXT NOT NULL,
  bell         TEXT NOT NULL,             -- path of the reader's datagram socket
  workdir      TEXT NOT NULL,
  version      TEXT NOT NULL,             -- release of the reader
  attached_at  REAL NOT NULL,
  ended_at     REAL,
  end_reason   TEXT NOT NULL DEFAULT '',
  blocked_at   REAL                       -- since when its output takes nothing
);
CREATE INDEX attachment_live ON attachment(session) WHERE ended_at IS NULL;

CREATE TABLE outbox (                     -- batches, as composed; how they fare is in delivery
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  correlation TEXT NOT NULL UNIQUE,       -- the id that follows a batch from observation to delivery
  attachment  TEXT NOT NULL,
  session     TEXT NOT NULL,
  text        TEXT NOT NULL,              -- whole lines, each ended by a newline
  created_at  REAL NOT NULL
);

CREATE TABLE delivery (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  session      TEXT NOT NULL,
  attachment   TEXT,                      -- only this attachment may show it; NULL: any of the session
  batch        INTEGER,                   -- outbox.id
  lane         TEXT NOT NULL,             -- 'event' may grow stale, 'message' never
  state        TEXT NOT NULL,             -- stored, claimed, offered, expired, undeliverable
  reason       TEXT NOT NULL DEFAULT '',  -- of expired: 'stale' (never shown), 'unconfirmed' (perhaps shown)
  created_at   REAL NOT NULL,
  created_boot TEXT NOT NULL,
  created_bt   REAL NOT NULL,
  lease_by     TEXT NOT NULL DEFAULT '',  -- attachment/process that claimed it last
  lease_boot   TEXT NOT NULL DEFAULT '',
  lease_bt     REAL,                      -- the end of its claim
  repeats      INTEGER NOT NULL DEFAULT 0,
  conduit      TEXT NOT NULL DEFAULT '',
  offered_at   REAL,
  latency_ms   REAL                       -- commit to written
);
-- Two halves of one table, so that what waits is found at once however much has settled.
CREATE INDEX delivery_due ON delivery(session, id) WHERE state IN ('stored', 'claimed');
CREATE INDEX delivery_settled ON delivery(session, id) WHERE state NOT IN ('stored', 'claimed');
CREATE INDEX delivery_batch ON delivery(batch) WHERE batch IS NOT NULL;

CREATE TABLE telling (                    -- what a hook told a session on a sensor's behalf
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  session     TEXT NOT NULL,
  sensor      TEXT NOT NULL,
  topic       TEXT NOT NULL,
  conduit     TEXT NOT NULL,
  at          REAL NOT NULL
);
CREATE INDEX telling_sensor ON telling(session, sensor, id);

CREATE TABLE checkpoint (                 -- engine and sensor state of one attachment
  attachment  TEXT PRIMARY KEY,
  session     TEXT NOT NULL,
  boot        TEXT NOT NULL,
  saved_at    REAL NOT NULL,
  saved_bt    REAL NOT NULL,
  state       BLOB NOT NULL               -- JSON
);

CREATE TABLE conduit (                    -- health of each way into a session
  session     TEXT NOT NULL,
  name        TEXT NOT NULL,
  ok_at       REAL,
  failed_at   REAL,
  failure     TEXT NOT NULL DEFAULT '',
  latency_ms  REAL,
  PRIMARY KEY (session, name)
);

CREATE TABLE health (                     -- how each sensor of each attachment fares
  attachment  TEXT NOT NULL,
  sensor      TEXT NOT NULL,
  state       TEXT NOT NULL,              -- ok, failing, off
  since_at    REAL NOT NULL,
  failures    INTEGER NOT NULL DEFAULT 0,
  detail      TEXT NOT NULL DEFAULT '',
  polled_at   REAL,
  next_at     REAL,
  told        INTEGER NOT NULL DEFAULT 0,
  held        TEXT NOT NULL DEFAULT '',   -- what holds its pending lines, empty when nothing
  pending     REAL NOT NULL DEFAULT 0,    -- accumulated magnitude
  threshold   REAL NOT NULL DEFAULT 0,    -- effective, the engagement curve included
  PRIMARY KEY (attachment, sensor)
);

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
