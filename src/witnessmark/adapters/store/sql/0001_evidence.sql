-- Kinds of facts by a small number: an event then spends one byte on its kind.
CREATE TABLE kinds (
  kind INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

-- One row per (source, session). AUTOINCREMENT: the key of a deleted session is never given to another.
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

-- Count, head and sign of life in the transaction of the append, so that a lost tail of events shows.
CREATE TRIGGER events_advance AFTER INSERT ON events
BEGIN
  UPDATE sessions SET
    head = CASE WHEN NEW.sequence >= count THEN NEW.hash ELSE head END,
    count = max(count, NEW.sequence + 1),
    beat_us = max(beat_us, NEW.time_us)
  WHERE key = NEW.session_key;
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
