-- Kinds of facts by a small number: an event then spends one byte on its kind.
CREATE TABLE kinds (
  kind INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- One row per (source, session). AUTOINCREMENT: the key of a deleted session is never given to another. Count and head are
-- stated at the close, so that a lost tail shows; while a session is open they are those of its newest event (an update with
-- each event would write a second page for each commit). The same holds for the sign of life.
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY AUTOINCREMENT,
  source TEXT NOT NULL,
  session TEXT NOT NULL,
  run TEXT NOT NULL,
  server TEXT NOT NULL,
  opened_us INTEGER NOT NULL,
  closed_us INTEGER,
  beat_us INTEGER NOT NULL,
  count INTEGER NOT NULL DEFAULT 0,
  head BLOB NOT NULL,
  UNIQUE (source, session)
) STRICT;

-- Reading a run must not look at other runs.
CREATE INDEX sessions_by_run ON sessions (run);

CREATE TABLE events (
  session_key INTEGER NOT NULL REFERENCES sessions (key),
  sequence INTEGER NOT NULL CHECK (sequence >= 0),
  time_us INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  data BLOB NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (session_key, sequence)
) STRICT, WITHOUT ROWID;

-- A session with count, head and sign of life: as stated at its close, or of its newest event while it is open.
CREATE VIEW session_states AS
SELECT sessions.key, sessions.source, sessions.session, sessions.run, sessions.server, sessions.opened_us, sessions.closed_us,
  max(sessions.beat_us, coalesce(newest.time_us, 0)) AS beat_us,
  CASE WHEN sessions.closed_us IS NULL THEN coalesce(newest.sequence + 1, 0) ELSE sessions.count END AS count,
  CASE WHEN sessions.closed_us IS NULL THEN coalesce(newest.hash, sessions.head) ELSE sessions.head END AS head
FROM sessions LEFT JOIN events AS newest ON newest.session_key = sessions.key
  AND newest.sequence = (SELECT max(sequence) FROM events WHERE session_key = sessions.key);

-- A different event under the number of one that is already there: both are kept.
CREATE TABLE conflicts (
  session_key INTEGER NOT NULL REFERENCES sessions (key),
  sequence INTEGER NOT NULL CHECK (sequence >= 0),
  hash BLOB NOT NULL,
  time_us INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (session_key, sequence, hash)
) STRICT, WITHOUT ROWID;

-- What was deleted, when and why.
CREATE TABLE dropped (
  id INTEGER PRIMARY KEY,
  run TEXT NOT NULL,
  sessions INTEGER NOT NULL,
  events INTEGER NOT NULL,
  opened_us INTEGER NOT NULL,
  last_us INTEGER NOT NULL,
  dropped_us INTEGER NOT NULL,
  why TEXT NOT NULL
) STRICT;

-- Sessions declared to be deleted, and recorded as dropped: no longer read, their rows on the way out. Empty at rest.
CREATE TABLE retention (
  session_key INTEGER PRIMARY KEY
) STRICT;

-- The first event under a number stays: also against INSERT OR REPLACE, which would delete it without a delete trigger.
CREATE TRIGGER events_keep_first BEFORE INSERT ON events
WHEN EXISTS (SELECT 1 FROM events WHERE session_key = NEW.session_key AND sequence = NEW.sequence)
BEGIN
  SELECT RAISE(IGNORE);
END;

CREATE TRIGGER events_never_change BEFORE UPDATE ON events
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER events_never_go BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM retention WHERE session_key = OLD.session_key)
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER conflicts_never_change BEFORE UPDATE ON conflicts
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER conflicts_never_go BEFORE DELETE ON conflicts
WHEN NOT EXISTS (SELECT 1 FROM retention WHERE session_key = OLD.session_key)
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER sessions_keep_identity BEFORE UPDATE OF key, source, session, run, server, opened_us ON sessions
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER sessions_close_once BEFORE UPDATE OF closed_us ON sessions
WHEN OLD.closed_us IS NOT NULL
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER sessions_never_go BEFORE DELETE ON sessions
WHEN NOT EXISTS (SELECT 1 FROM retention WHERE session_key = OLD.key)
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER kinds_never_change BEFORE UPDATE ON kinds
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER kinds_never_go BEFORE DELETE ON kinds
BEGIN
  SELECT RAISE(ABORT, 'evidence is append-only');
END;

CREATE TRIGGER dropped_never_change BEFORE UPDATE ON dropped
BEGIN
  SELECT RAISE(ABORT, 'the record of what was deleted stays');
END;

CREATE TRIGGER dropped_never_go BEFORE DELETE ON dropped
BEGIN
  SELECT RAISE(ABORT, 'the record of what was deleted stays');
END;
