-- Which line told of a message that was announced, so that a transcript can prove that line.

ALTER TABLE delivery ADD COLUMN digest TEXT NOT NULL DEFAULT '';  -- ids of the first and the last it told of: 'ID-ID'
-- Its evidence is what proves that line; until then it may have to be told of again.
CREATE INDEX delivery_told ON delivery(session, digest) WHERE message IS NOT NULL AND state = 'announced' AND evidence = '' AND digest <> '';
