-- Which collections edges tell subscribers about, and what was deleted there: whoever subscribed may
-- hear of an item that is gone only if he could see it, which its last row tells. Nothing of this
-- outlives a crash of the server, and nothing needs to.

CREATE UNLOGGED TABLE system_listeners (
  collection text NOT NULL,
  edge uuid NOT NULL,
  expires timestamptz NOT NULL,
  PRIMARY KEY (collection, edge)
);

CREATE UNLOGGED TABLE system_deleted_items (
  collection text NOT NULL,
  -- The key as in a path.
  item text NOT NULL,
  -- The row as PostgreSQL writes the type of the table.
  content text NOT NULL,
  deleted timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX system_deleted_items_item ON system_deleted_items (collection, item);
CREATE INDEX system_deleted_items_deleted ON system_deleted_items (deleted);
