"""The tables of one stream's database: the record of truth, from which all else is derived.

Rows are added, never edited: a later word about a record is a row of a higher version. Numbers are the memory's own
and are never re-used, so nothing here relies on a rowid that SQLite chooses.
"""

SCHEMA_VERSION = 2
"""Raised by whoever changes a table; a store of another version is refused, not guessed at."""

_RECORDS = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE clip (
  number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, start_us INTEGER NOT NULL, end_us INTEGER NOT NULL,
  known_us INTEGER NOT NULL, watermark_us INTEGER NOT NULL, late INTEGER NOT NULL, version INTEGER NOT NULL,
  media TEXT, media_type TEXT, extra BLOB NOT NULL);

CREATE TABLE line (
  clip INTEGER NOT NULL, n INTEGER NOT NULL, start_us INTEGER NOT NULL, end_us INTEGER NOT NULL, kind TEXT NOT NULL,
  text TEXT NOT NULL, speaker TEXT, PRIMARY KEY (clip, n)) WITHOUT ROWID;

CREATE TABLE observation (
  number INTEGER PRIMARY KEY, clip INTEGER NOT NULL, track INTEGER NOT NULL, label TEXT NOT NULL, score REAL NOT NULL,
  start_us INTEGER NOT NULL, end_us INTEGER NOT NULL, known_us INTEGER NOT NULL, embedder TEXT, flaw TEXT,
  text TEXT NOT NULL);
CREATE INDEX observation_clip ON observation (clip);

CREATE TABLE entity (number INTEGER PRIMARY KEY, embedder TEXT NOT NULL, known_us INTEGER NOT NULL);

CREATE TABLE membership (
  observation INTEGER NOT NULL, version INTEGER NOT NULL, entity INTEGER NOT NULL, known_us INTEGER NOT NULL,
  similarity REAL NOT NULL, cause TEXT NOT NULL, PRIMARY KEY (observation, version)) WITHOUT ROWID;
CREATE INDEX membership_entity ON membership (entity);

CREATE TABLE apart (
  low INTEGER NOT NULL, high INTEGER NOT NULL, low_observation INTEGER NOT NULL, high_observation INTEGER NOT NULL,
  known_us INTEGER NOT NULL, PRIMARY KEY (low, high)) WITHOUT ROWID;
CREATE INDEX apart_high ON apart (high);

CREATE TABLE episode (
  number INTEGER NOT NULL, version INTEGER NOT NULL, scale TEXT NOT NULL, start_us INTEGER NOT NULL,
  end_us INTEGER NOT NULL, text TEXT NOT NULL, known_us INTEGER NOT NULL, PRIMARY KEY (number, version)) WITHOUT ROWID;

CREATE TABLE crop (
  observation INTEGER NOT NULL, n INTEGER NOT NULL, at_us INTEGER NOT NULL, x0 REAL NOT NULL, y0 REAL NOT NULL,
  x1 REAL NOT NULL, y1 REAL NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (observation, n)) WITHOUT ROWID;

-- Arrays of one clip in one row each, so that a week of them is read in seconds.
CREATE TABLE vector (
  clip INTEGER NOT NULL, embedder TEXT NOT NULL, observations BLOB NOT NULL, matrix BLOB NOT NULL,
  PRIMARY KEY (clip, embedder));
CREATE TABLE trail (clip INTEGER PRIMARY KEY, counts BLOB NOT NULL, times_us BLOB NOT NULL, boxes BLOB NOT NULL);

-- Vectors of texts that no earlier clip had: MessagePack list of texts, int8 codes a row each, float32 scales.
CREATE TABLE words (
  clip INTEGER PRIMARY KEY, embedder TEXT NOT NULL, texts BLOB NOT NULL, codes BLOB NOT NULL, scales BLOB NOT NULL);

"""
_DIGEST = """
-- What each clip's rows are known by, behind the digest of the clip before it; not part of the memory's hash.
CREATE TABLE digest (clip INTEGER PRIMARY KEY, digest BLOB NOT NULL);
"""
_REMARKS = """
-- What was written about clips that were applied before. A piece is one question that was asked; `place` is the number
-- of the observation or clip, or when the window starts; `clip` is the latest clip that was read for it (-1: none).
CREATE TABLE piece (
  number INTEGER PRIMARY KEY, writing TEXT NOT NULL, scale TEXT NOT NULL, place INTEGER NOT NULL,
  version INTEGER NOT NULL, known_us INTEGER NOT NULL, clip INTEGER NOT NULL, made INTEGER NOT NULL,
  digest BLOB NOT NULL, UNIQUE (writing, scale, place, version));
CREATE INDEX piece_made ON piece (made);

-- What came of a piece, as JSON; `observation` is -1 where it is about none.
CREATE TABLE remark (
  piece INTEGER NOT NULL, n INTEGER NOT NULL, kind TEXT NOT NULL, known_us INTEGER NOT NULL, clip INTEGER NOT NULL,
  observation INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (piece, n)) WITHOUT ROWID;
CREATE INDEX remark_observation ON remark (observation) WHERE observation >= 0;
CREATE INDEX remark_clip ON remark (kind, clip);

-- Vectors of a piece's texts, as in the table words.
CREATE TABLE remark_words (
  piece INTEGER PRIMARY KEY, known_us INTEGER NOT NULL, clip INTEGER NOT NULL, embedder TEXT NOT NULL,
  texts BLOB NOT NULL, codes BLOB NOT NULL, scales BLOB NOT NULL);
"""
_RULINGS = """
-- What users said about who is who; `who` is who said so, and the body says all of it, as JSON.
CREATE TABLE ruling (
  number INTEGER PRIMARY KEY, act TEXT NOT NULL, who TEXT NOT NULL, known_us INTEGER NOT NULL, made INTEGER NOT NULL,
  body TEXT NOT NULL);
"""
_BESIDE = """
-- What is kept on disk beside the database, oldest clip first when the bound is reached; not part of the memory's hash.
CREATE TABLE media (sha256 TEXT PRIMARY KEY, clip INTEGER NOT NULL, bytes INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX media_clip ON media (clip);
CREATE TABLE media_total (bytes INTEGER NOT NULL);
INSERT INTO media_total VALUES (0);
CREATE TRIGGER media_added AFTER INSERT ON media BEGIN UPDATE media_total SET bytes = bytes + new.bytes; END;
CREATE TRIGGER media_dropped AFTER DELETE ON media BEGIN UPDATE media_total SET bytes = bytes - old.bytes; END;

-- Where in the log the memory stands; not part of its hash either.
CREATE TABLE position (
  topic TEXT NOT NULL, partition INTEGER NOT NULL, cluster TEXT NOT NULL, topic_id TEXT NOT NULL,
  next_offset INTEGER NOT NULL, tail TEXT NOT NULL, through INTEGER NOT NULL,
  PRIMARY KEY (topic, partition)) WITHOUT ROWID;
"""

TABLES = _RECORDS + _DIGEST + _REMARKS + _RULINGS + _BESIDE

SINCE_1 = _DIGEST + _REMARKS + _RULINGS
"""What a store of version 1 lacks."""
