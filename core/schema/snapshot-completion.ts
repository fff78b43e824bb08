/**
 * Completes snapshots: missing members come from the current schema or have default values, so that
 * snapshots can be compared member by member.
 */

import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload } from '#core/base/errors/service-error.ts';
import type { JsonObject } from '#core/base/json/json-object.ts';
import { defaultRow } from '#core/model/system-collections/registry.ts';
import { COLLECTION_META, FIELD_META, type MetaObject } from './schema-object.ts';
import type {
  Snapshot,
  SnapshotCollection,
  SnapshotContent,
  SnapshotField,
  SnapshotRelation,
} from './snapshot.ts';
import { byEntryKey, entryKey } from './snapshot-entry.ts';
import type { SnapshotInput } from './snapshot-input.ts';

const RELATION_META: MetaObject = defaultRow('relations', [
  ...['id', 'many_collection', 'many_field', 'one_collection'],
]);

/** A column with defaults only. */
export const COLUMN: JsonObject = {
  data_type: null,
  default_value: null,
  generation_expression: null,
  max_length: null,
  numeric_precision: null,
  numeric_scale: null,
  is_generated: false,
  is_nullable: true,
  is_unique: false,
  is_indexed: false,
  is_primary_key: false,
  has_auto_increment: false,
  foreign_key_table: null,
  foreign_key_column: null,
  comment: null,
};

const FOREIGN_KEY: JsonObject = { on_update: 'NO ACTION', on_delete: 'NO ACTION' };

/** Unknown members, which may have a meaning in another release. */
function known(given: JsonObject, defaults: JsonObject, what: string, force: boolean): JsonObject {
  const others = Object.keys(given).filter((name) => !Object.hasOwn(defaults, name));
  const [part] = others;
  if (part === undefined) return given;
  if (!force) throw invalidPayload(reason('snapshot_part_unexpected', { subject: what, part }));
  return Object.fromEntries(Object.entries(given).filter(([name]) => !others.includes(name)));
}

/** A comma-separated list as text. */
function commaText(value: unknown): unknown {
  return Array.isArray(value) ? value.join(',') || null : value;
}

/** The entries of a comma-separated list. */
function commaList(value: unknown): unknown {
  return typeof value === 'string' ? value.split(',') : value;
}

/** Adds what a partial snapshot leaves out, taken from the current schema. */
class Completion {
  readonly #force: boolean;

  constructor(force: boolean) {
    this.#force = force;
  }

  collection(given: SnapshotInput['collections'][number], now?: SnapshotCollection) {
    const { collection, meta, schema } = given;
    const defaults = { collection, ...COLLECTION_META };
    return {
      collection,
      meta: this.#fill(meta, defaults, now?.meta, `The metadata of ${collection}`),
      schema:
        schema === null
          ? null
          : {
              name: collection,
              comment: null,
              ...now?.schema,
              ...without(schema, ['schema', 'name']),
            },
    };
  }

  field(given: SnapshotInput['fields'][number], now?: SnapshotField): SnapshotField {
    const { collection, field, type, meta, schema } = given;
    const place = `${collection}.${field}`;
    const defaults = { collection, field, ...FIELD_META };
    const filled = this.#fill(meta, defaults, now?.meta, `The metadata of ${place}`);
    return {
      collection,
      field,
      type: schema === null ? 'alias' : type,
      meta: filled === null ? null : { ...filled, special: commaText(filled.special) },
      schema: schema === null ? null : this.#column({ collection, field, schema }, now),
    };
  }

  relation(given: SnapshotInput['relations'][number], now?: SnapshotRelation): SnapshotRelation {
    const { collection, field, related_collection, meta, schema } = given;
    const names = {
      many_collection: collection,
      many_field: field,
      one_collection: related_collection,
    };
    const place = `The metadata of the relation ${collection}.${field}`;
    const filled = this.#fill(meta, { ...names, ...RELATION_META }, now?.meta, place);
    const allowed = commaList(filled?.one_allowed_collections ?? null);
    const { schema: key } = now ?? {};
    const table = { table: collection, column: field, foreign_key_table: related_collection };
    return {
      collection,
      field,
      related_collection,
      meta: filled === null ? null : { ...filled, ...names, one_allowed_collections: allowed },
      schema:
        schema === null
          ? null
          : { ...table, ...FOREIGN_KEY, ...key, ...without(schema, ['foreign_key_schema']) },
    };
  }

  #column(
    {
      collection,
      field,
      schema,
    }: Pick<SnapshotField, 'collection' | 'field'> & { schema: JsonObject },
    now?: SnapshotField,
  ) {
    const passed = ['schema', 'name', 'table', 'foreign_key_schema', 'index_state', 'enum_values'];
    const marked = { ...COLUMN, default_is_expression: true };
    const given = known(
      without(schema, passed),
      marked,
      `The column ${collection}.${field}`,
      this.#force,
    );
    // The mark for an expression applies only together with its default.
    const { default_is_expression: mark, ...column } = now?.schema ?? COLUMN;
    const kept =
      mark !== undefined && !Object.hasOwn(given, 'default_value')
        ? { default_is_expression: mark }
        : {};
    const { foreign_key_table, foreign_key_column } = now?.schema ?? { ...COLUMN, ...given };
    return {
      name: field,
      table: collection,
      ...column,
      ...kept,
      ...given,
      foreign_key_table,
      foreign_key_column,
    };
  }

  #fill(
    meta: JsonObject | null,
    defaults: JsonObject,
    now: JsonObject | null | undefined,
    what: string,
  ) {
    if (meta === null) return null;
    const given = known(without(meta, ['id', 'system']), defaults, what, this.#force);
    return { ...defaults, ...now, ...given };
  }
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/**
 * The complete content of a snapshot; missing members are those of the current schema.
 * @throws ServiceError INVALID_PAYLOAD for unknown members, unless forced
 */
export function completeSnapshot(
  given: SnapshotInput,
  current: Snapshot,
  force: boolean,
): SnapshotContent {
  const completion = new Completion(force);
  const now = {
    collections: byEntryKey(current.collections),
    fields: byEntryKey(current.fields),
    relations: byEntryKey(current.relations),
  };
  return {
    collections: given.collections.map((entry) =>
      completion.collection(entry, now.collections.get(entryKey(entry))),
    ),
    fields: given.fields.map((entry) => completion.field(entry, now.fields.get(entryKey(entry)))),
    systemFields: given.systemFields ?? current.systemFields,
    relations: given.relations.map((entry) =>
      completion.relation(entry, now.relations.get(entryKey(entry))),
    ),
  };
}
