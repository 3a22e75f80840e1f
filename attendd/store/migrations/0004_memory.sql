-- Memory: what agents and people have had kept, what became of it, and what of it was shown to whom.
--
-- `fact` is what `fact_log` adds up to, entry by entry. A fact that was forgotten stays as a row
-- without its text, which knows the same words again should anybody say them.

CREATE TABLE memory_project (             -- a project is what it is, wherever it lies by now
  id          INTEGER PRIMARY KEY,
  place       TEXT NOT NULL UNIQUE,       -- session.project of those who work there now
  birth       TEXT NOT NULL DEFAULT '',   -- by these two a repository is known again elsewhere,
  remote      TEXT NOT NULL DEFAULT '',   --   once its old place is gone; digests
  wish        TEXT NOT NULL DEFAULT '',   -- 'on' or 'off' by `attend memory on|off`; '': by configuration
  enabled     INTEGER NOT NULL DEFAULT 0, -- what follows from it all, where hooks can read it
  seen_at     REAL NOT NULL
);

CREATE TABLE fact (
  id          TEXT PRIMARY KEY,           -- 16 hex digits
  project     INTEGER NOT NULL,
  scope       TEXT NOT NULL,              -- 'session' fades unless it proves itself, 'project' stays
  text        TEXT NOT NULL,              -- '' once forgotten
  mark        TEXT NOT NULL,              -- digest of the text as it is compared; outlives it
  producer    TEXT NOT NULL,              -- 'user', 'system', 'agent', 'subagent'
  consumer    TEXT NOT NULL DEFAULT '',   -- whom it is for; '': everybody
  weight      INTEGER NOT NULL,           -- hundredths
  core        INTEGER NOT NULL DEFAULT 0, -- 1: a person's wish; never fades
  untrusted   INTEGER NOT NULL DEFAULT 0, -- 1: taken from what a tool or a stranger said; never promoted
  status      TEXT NOT NULL,              -- active, superseded, pruned, archived, undone, forgotten
  supersedes  TEXT NOT NULL DEFAULT '',   -- the fact that it replaced
  session     TEXT NOT NULL,              -- who recorded it, and where: '' by a person at a terminal
  turn        INTEGER NOT NULL DEFAULT 0,
  agent       TEXT NOT NULL DEFAULT '',   -- name of the agent, as it was known then
  source      TEXT NOT NULL DEFAULT '',   -- row of the transcript, or the command
  created_at  REAL NOT NULL,
  updated_at  REAL NOT NULL
);
CREATE INDEX fact_project ON fact(project, status);
CREATE INDEX fact_session ON fact(session, turn);
CREATE INDEX fact_mark ON fact(project, mark);
CREATE INDEX fact_supersedes ON fact(supersedes) WHERE supersedes <> '';

CREATE TABLE fact_log (                   -- every change of a fact, never cut short
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  at          REAL NOT NULL,
  actor       TEXT NOT NULL,              -- 'user', 'host', or a session
  action      TEXT NOT NULL,              -- recorded, updated, superseded, hit, …
  project     INTEGER NOT NULL,
  fact        TEXT NOT NULL DEFAULT '',   -- '' where none came of it, as of one that was refused
  session     TEXT NOT NULL DEFAULT '',
  changes     TEXT NOT NULL DEFAULT '{}'  -- JSON: columns of the fact and their new values
);
CREATE INDEX fact_log_fact ON fact_log(fact, id);
CREATE INDEX fact_log_project ON fact_log(project, id);

CREATE TABLE fact_hit (                   -- sessions to which a fact was of use, each once
  fact        TEXT NOT NULL,
  session     TEXT NOT NULL,
  at          REAL NOT NULL,
  PRIMARY KEY (fact, session)
) WITHOUT ROWID;

-- Active facts by their words, best first: found in the order in which they are chosen, however
-- many there are. Every fact is under the word '', too, and one with `core` under '!'.
CREATE TABLE fact_term (
  project     INTEGER NOT NULL,
  term        TEXT NOT NULL,
  weight      INTEGER NOT NULL,
  updated_at  REAL NOT NULL,
  fact        TEXT NOT NULL,
  consumer    TEXT NOT NULL,
  bytes       INTEGER NOT NULL,           -- of its text
  PRIMARY KEY (project, term, weight DESC, updated_at DESC, fact)
) WITHOUT ROWID;

CREATE TABLE captured (                   -- what has been taken from where, so that it is taken once
  source      TEXT PRIMARY KEY,           -- row of a transcript, and which percept in it
  at          REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE nonce (
  nonce        TEXT PRIMARY KEY,          -- no two sessions have the same
  session      TEXT NOT NULL,
  made_wall    REAL NOT NULL,
  rotated_wall REAL,                      -- NULL: it is the one in force
  reason       TEXT NOT NULL DEFAULT ''   -- why it was rotated
) WITHOUT ROWID;
CREATE UNIQUE INDEX nonce_session ON nonce(session) WHERE rotated_wall IS NULL;

CREATE TABLE memory_session (
  session     TEXT PRIMARY KEY,
  project     INTEGER NOT NULL,
  began_at    REAL NOT NULL,
  ended_at    REAL,                       -- when its end was reckoned with; NULL: it goes on
  prompts     INTEGER NOT NULL DEFAULT 0, -- of a person, so far
  fresh_at    REAL NOT NULL DEFAULT 0,    -- since when its context holds what was said in it
  taught_at   REAL,                       -- when the instruction was delivered last, and
  taught_prompts INTEGER NOT NULL DEFAULT 0, -- where the session was then
  taught_bytes INTEGER NOT NULL DEFAULT 0,
  gauge       INTEGER NOT NULL DEFAULT 0, -- 1: its distance is known in tokens, so the host says when
  due         TEXT NOT NULL DEFAULT '',   -- why the instruction is due at the next prompt; '': it is not
  told        INTEGER NOT NULL DEFAULT 0, -- the last entry of `fact_log` whose news it was given
  notice      TEXT NOT NULL DEFAULT ''    -- what its person is told at the next prompt
);

CREATE TABLE injection (                  -- what was put before a model; its words are those of the facts
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  session     TEXT NOT NULL,
  project     INTEGER NOT NULL,
  conduit     TEXT NOT NULL,              -- 'session-start' or 'prompt'
  reason      TEXT NOT NULL,              -- startup, resume, clear, compact, prompt
  at          REAL NOT NULL,
  tokens      INTEGER NOT NULL,           -- an estimate
  taught      INTEGER NOT NULL DEFAULT 0  -- 1: with the instruction
);
CREATE INDEX injection_session ON injection(session, id);

CREATE TABLE injected (                   -- the facts of an injection, in their order
  injection   INTEGER NOT NULL,
  position    INTEGER NOT NULL,           -- from 1 on
  fact        TEXT NOT NULL,
  used_at     REAL,                       -- when the session was first seen to make use of it
  PRIMARY KEY (injection, position)
) WITHOUT ROWID;
CREATE INDEX injected_fact ON injected(fact);
