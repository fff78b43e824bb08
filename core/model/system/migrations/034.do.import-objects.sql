-- The objects of IMPORT_LOCATIONS that imports by prefix have taken, each once for a collection.

CREATE TABLE system_import_objects (
  location varchar(63) NOT NULL,
  collection varchar(255) NOT NULL,
  "key" varchar(1024) NOT NULL,
  etag varchar(255) NOT NULL,
  -- The latest job; null while a request is about to submit it.
  job uuid,
  claimed_on timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Set by the transaction that imports the object.
  imported_on timestamptz,
  PRIMARY KEY (collection, location, "key", etag)
);
