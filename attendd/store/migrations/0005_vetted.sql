-- Only what the detectors of secrets in use have looked at is put before a model; and of what is not
-- shown to sessions any more a person is told, once.

ALTER TABLE fact ADD COLUMN vetted INTEGER NOT NULL DEFAULT 0;  -- 1: by the detectors in use; not in the log
CREATE INDEX fact_unvetted ON fact(id) WHERE NOT vetted AND status = 'active';

-- The last entry of fact_log that a person was told of.
ALTER TABLE memory_project ADD COLUMN parted INTEGER NOT NULL DEFAULT 0;
UPDATE memory_project SET parted = coalesce((SELECT max(id) FROM fact_log), 0);
CREATE INDEX fact_log_parted ON fact_log(project, id) WHERE action IN ('pruned', 'archived', 'withheld');
