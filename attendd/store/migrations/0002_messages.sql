-- Messages: what is said, to whom, and how it fares with each.
--
-- A message to one recipient is a row of `delivery` whose `message` is set and whose `batch` is
-- not, so that a release before this one, which looks only at batches, leaves it alone. Mailboxes
-- are session ids, 'as:NAME', or '@user', the person, whom every plain terminal reads for.

CREATE TABLE message (
  id           TEXT PRIMARY KEY,          -- eight characters, chosen by its sender; shown as #id
  author       TEXT NOT NULL,             -- mailbox that an answer goes to; '' where there is none
  author_kind  TEXT NOT NULL,             -- 'agent', 'human', 'declared' (a name of its own choosing), 'script'
  author_name  TEXT NOT NULL,             -- as it was shown at the time; never a key
  author_how   TEXT NOT NULL,             -- how the author is known: 'CLAUDE_PID', '--as', 'terminal', 'handed over', …
  project      TEXT NOT NULL DEFAULT '',  -- of its author
  place        TEXT NOT NULL DEFAULT '',  -- that project's short name, as it was shown
  body         TEXT NOT NULL,             -- at most 64 KiB; bytes where they are no UTF-8 text
  target       TEXT NOT NULL DEFAULT '',  -- whom it was for, in its sender's words
  kind         TEXT NOT NULL,             -- the closest kind among its deliveries
  re           TEXT NOT NULL DEFAULT '',  -- the message it answers
  thread       TEXT NOT NULL,             -- the message that began the thread; its own id where none did
  depth        INTEGER NOT NULL DEFAULT 0,-- links since a human, or since its sender did something else
  seq          INTEGER NOT NULL,          -- the sender's count of its own messages
  via          TEXT NOT NULL DEFAULT '',  -- '' committed by its sender, 'fifo' or 'spool' handed over
  created_at   REAL NOT NULL,
  created_boot TEXT NOT NULL,
  created_bt   REAL NOT NULL,
  retracted_at REAL
);
CREATE INDEX message_author ON message(author, seq);
CREATE INDEX message_age ON message(created_at);

-- States of a message's delivery, in the order in which they can follow one another:
--   stored     waits to be offered          claimed    somebody is offering it, under a lease
--   announced  a digest named it            offered    written into a conduit
--   queued     its client holds it          fetched    its session read the body in the inbox
--   seen       evidence in the transcript   read       its session said so
--   answered   the model went on below it
-- and ends: expired ('aged': group mail after 24 h), undeliverable, retracted. Only what is
-- stored or claimed is ever offered. The times stay whatever the state becomes.
ALTER TABLE delivery ADD COLUMN message TEXT;
ALTER TABLE delivery ADD COLUMN kind TEXT NOT NULL DEFAULT '';     -- 'directed', 'project', 'channel', 'open'
ALTER TABLE delivery ADD COLUMN channel TEXT NOT NULL DEFAULT '';  -- through which channel it came
ALTER TABLE delivery ADD COLUMN meant TEXT NOT NULL DEFAULT '';    -- an earlier session of the recipient, to which it was said
ALTER TABLE delivery ADD COLUMN hold TEXT NOT NULL DEFAULT '';     -- why it is not offered now; empty: it may be
ALTER TABLE delivery ADD COLUMN avoid TEXT NOT NULL DEFAULT '';    -- a conduit that has offered it in vain
ALTER TABLE delivery ADD COLUMN evidence TEXT NOT NULL DEFAULT ''; -- what proves its state, for instance the uuid of a row
ALTER TABLE delivery ADD COLUMN offered_bt REAL;                   -- with lease_boot
ALTER TABLE delivery ADD COLUMN announced_at REAL;
ALTER TABLE delivery ADD COLUMN queued_at REAL;
ALTER TABLE delivery ADD COLUMN fetched_at REAL;
ALTER TABLE delivery ADD COLUMN seen_at REAL;
ALTER TABLE delivery ADD COLUMN read_at REAL;
ALTER TABLE delivery ADD COLUMN answered_at REAL;
-- Not unique: the release before this one may move one session's mail to another that has it too.
CREATE INDEX delivery_message ON delivery(message, session) WHERE message IS NOT NULL;
CREATE INDEX delivery_mail ON delivery(session, id) WHERE message IS NOT NULL;
-- Written as it is because for a list of three SQLite makes a table of its own at each change.
CREATE INDEX delivery_unproven ON delivery(session, id) WHERE message IS NOT NULL AND (state = 'offered' OR state = 'queued' OR state = 'seen');

CREATE TABLE channel (
  name    TEXT PRIMARY KEY,               -- lower case; 'open' is no row, everybody is in it
  about   TEXT NOT NULL DEFAULT '',
  made_by TEXT NOT NULL DEFAULT '',
  made_at REAL NOT NULL
);

CREATE TABLE membership (
  channel   TEXT NOT NULL,
  session   TEXT NOT NULL,                -- a mailbox
  joined_at REAL NOT NULL,
  PRIMARY KEY (session, channel)
);
CREATE INDEX membership_channel ON membership(channel);

CREATE TABLE mute (
  session  TEXT NOT NULL,                 -- the mailbox that hears nothing
  who      TEXT NOT NULL,                 -- from this author, or '#' and a channel
  until_at REAL,                          -- wall clock; NULL: until taken back
  at       REAL NOT NULL,
  PRIMARY KEY (session, who)
);

CREATE TABLE heard (                      -- what a mailbox was shown last, and what follows from it
  session   TEXT PRIMARY KEY,
  message   TEXT NOT NULL DEFAULT '',     -- the one that `reply` answers
  at        REAL,
  chain     INTEGER NOT NULL DEFAULT 0,   -- depth of what is sent next; 0 again after a human or real work
  hinted_at REAL,                         -- when it was told how to answer
  gap_s     REAL NOT NULL DEFAULT 0       -- the host's wish: no more than one digest in so many seconds
);

-- A persona is a name made of where a session began and a number among those there.
ALTER TABLE session ADD COLUMN origin TEXT NOT NULL DEFAULT '';
ALTER TABLE session ADD COLUMN instance INTEGER;
CREATE INDEX session_project ON session(project);
