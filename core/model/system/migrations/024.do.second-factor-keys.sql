-- The keys with which a process opens the secrets of second factors: none for processes that read no
-- secrets, null for releases that read plain ones only.
ALTER TABLE system_members ADD COLUMN secret_keys text[];
