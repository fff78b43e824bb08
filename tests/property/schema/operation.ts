/** Changes of the schema by chance: mostly such that can be made, of what is there at the moment. */
import type { Catalog, Collection } from '#core/model/catalog/catalog.ts';
import type { CollectionMetaInput } from '#core/schema/metadata-input.ts';
import type { FieldInput, FieldPatch, SchemaChange } from '#core/schema/schema-change.ts';
import type { Dice } from '#tests/harness/dice.ts';

const COLLECTIONS = ['a', 'b', 'c', 'Ödd "x"', "it's"] as const;
const FIELDS = ['x', 'y', 'z', 'SELECT', 'naïve "q"', 'ways'] as const;
/** Names of ways back; some are those of fields too. */
const WAYS = ['ways', 'back', 'x', 'to "it"'] as const;
const TYPES = [
  'integer',
  'string',
  'text',
  'boolean',
  'decimal',
  'timestamp',
  'uuid',
  'csv',
] as const;
const ACTIONS = ['NO ACTION', 'SET NULL', 'CASCADE', 'RESTRICT'] as const;

/** One of a list; `fallback`, which leads to a refusal, when there is none. */
function anyOf<T>(dice: Dice, list: readonly T[], fallback: T): T {
  const [first, ...others] = list;
  return first === undefined ? fallback : dice.pick([first, ...others]);
}

function own(catalog: Catalog): Collection[] {
  return [...catalog.collections.values()].filter(({ system }) => !system);
}

function chance(dice: Dice, of: number): boolean {
  return dice.below(of) === 0;
}

function someField(dice: Dice, field: string): FieldInput {
  if (chance(dice, 5)) {
    const type = dice.pick(['alias', 'o2m', 'm2m'] as const);
    return { field, type, schema: null, meta: {} };
  }
  // Integers, so that there is something to refer with.
  const type = chance(dice, 2) ? 'integer' : dice.pick(TYPES);
  return {
    field,
    type,
    schema: {
      is_nullable: !chance(dice, 4),
      is_unique: chance(dice, 5),
      is_indexed: chance(dice, 5),
      ...(type === 'string' && chance(dice, 2) ? { default_value: "it's" } : {}),
    },
    meta: chance(dice, 2) ? null : { note: 'x', group: chance(dice, 3) ? dice.pick(FIELDS) : null },
  };
}

function createCollection(dice: Dice, catalog: Catalog): SchemaChange {
  const free = COLLECTIONS.filter((name) => !catalog.collections.has(name) || chance(dice, 9));
  const isFolder = chance(dice, 6);
  const names = FIELDS.filter(() => chance(dice, 2));
  const fields = isFolder ? [] : names.map((name) => someField(dice, name));
  const key = { field: 'k', type: 'uuid', schema: { is_primary_key: true }, meta: null } as const;
  const second = { ...key, field: 'l', type: 'integer' } as const;
  const keys = isFolder ? [] : dice.pick([[], [], [], [key], [key, second]]);
  return {
    kind: 'collections.create',
    collections: [
      {
        collection: anyOf(dice, free, 'a'),
        schema: isFolder ? null : {},
        meta: chance(dice, 3) ? null : { note: 'made' },
        fields: [...keys, ...fields],
      },
    ],
  };
}

function updateCollection(dice: Dice, catalog: Catalog): SchemaChange {
  const collection = anyOf(dice, own(catalog), undefined);
  const name = collection?.name ?? dice.pick(COLLECTIONS);
  const columns = collection?.table?.columns.map((column) => column.name) ?? [];
  const field = anyOf(dice, columns, 'id');
  const groups = own(catalog).filter(({ meta }) => meta !== null);
  const metas: readonly [CollectionMetaInput, ...CollectionMetaInput[]] = [
    { sort_field: columns.includes(field) ? field : null },
    { archive_field: columns.includes(field) ? field : null },
    { item_duplication_fields: columns },
    { group: anyOf(dice, groups, undefined)?.name ?? null },
  ];
  return {
    kind: 'collections.update',
    updates: [{ collection: name, meta: dice.pick(metas) }],
  };
}

/** A collection with a field of it; names that are not there when there is none. */
function place(dice: Dice, catalog: Catalog): { collection: string; field: string } {
  const collection = anyOf(dice, own(catalog), undefined);
  const field = anyOf(dice, [...(collection?.fields.keys() ?? [])], 'x');
  return { collection: collection?.name ?? 'a', field };
}

function updateField(dice: Dice, catalog: Catalog): SchemaChange {
  const { collection, field } = place(dice, catalog);
  const patches: readonly [Omit<FieldPatch, 'field'>, ...Omit<FieldPatch, 'field'>[]] = [
    { schema: { is_nullable: chance(dice, 2) } },
    { schema: { is_unique: chance(dice, 2) } },
    { schema: { is_indexed: chance(dice, 2) } },
    { schema: { default_value: 7 } },
    { type: dice.pick(TYPES) },
    { meta: { group: dice.pick(FIELDS), hidden: true } },
  ];
  return { kind: 'fields.update', collection, fields: [{ field, ...dice.pick(patches) }] };
}

function createField(dice: Dice, catalog: Catalog): SchemaChange {
  const { collection } = place(dice, catalog);
  const has = catalog.collections.get(collection)?.fields;
  const free = FIELDS.filter((name) => has?.has(name) !== true || chance(dice, 9));
  const field = someField(dice, anyOf(dice, free, 'x'));
  return { kind: 'fields.create', collection, field };
}

/** A column, and a collection to whose key it may refer; anything when nothing fits. */
function pair(dice: Dice, catalog: Catalog) {
  const fitting = own(catalog).flatMap((one) => {
    const [key, ...others] = one.primaryKey;
    if (key === undefined || others.length > 0) return [];
    return own(catalog).flatMap(({ name, table }) =>
      (table?.columns ?? [])
        .filter((column) => column.typeName === key.column.typeName && column.name !== 'id')
        .map((column) => ({ collection: name, field: column.name, related: one.name })),
    );
  });
  const fallback = { ...place(dice, catalog), related: place(dice, catalog).collection };
  return chance(dice, 9) ? fallback : anyOf(dice, fitting, fallback);
}

function createRelation(dice: Dice, catalog: Catalog): SchemaChange {
  const { related, ...address } = pair(dice, catalog);
  const columns = catalog.collections.get(address.collection)?.table?.columns ?? [];
  const isAny = chance(dice, 5);
  const other = anyOf(dice, columns, undefined)?.name ?? 'x';
  return {
    kind: 'relations.create',
    relation: {
      ...address,
      related_collection: isAny ? null : related,
      schema: chance(dice, 2) ? { on_delete: dice.pick(ACTIONS) } : null,
      meta: isAny
        ? { one_collection_field: other, one_allowed_collections: related }
        : {
            one_field: chance(dice, 2) ? dice.pick(WAYS) : null,
            junction_field: chance(dice, 3) ? other : null,
            sort_field: chance(dice, 3) ? other : null,
          },
    },
  };
}

/** A relation that is there, if there is any. */
function relation(dice: Dice, catalog: Catalog): { collection: string; field: string } {
  const known = own(catalog).flatMap(({ name }) =>
    [...(catalog.relations.get(name)?.values() ?? [])].flatMap(({ kind, field }) =>
      kind === 'm2o' || kind === 'a2o' ? { collection: name, field } : [],
    ),
  );
  return chance(dice, 9) ? place(dice, catalog) : anyOf(dice, known, place(dice, catalog));
}

/** The next change. */
export function someChange(dice: Dice, catalog: Catalog): SchemaChange {
  switch (dice.below(16)) {
    case 0:
    case 1:
    case 2:
      return createCollection(dice, catalog);
    case 3:
      return updateCollection(dice, catalog);
    case 4:
      return { kind: 'collections.delete', collection: place(dice, catalog).collection };
    case 5:
    case 6:
    case 7:
      return createField(dice, catalog);
    case 8:
      return updateField(dice, catalog);
    case 9:
      return { kind: 'fields.delete', ...place(dice, catalog) };
    case 10:
    case 11:
    case 12:
    case 13:
      return createRelation(dice, catalog);
    case 14:
      return {
        kind: 'relations.update',
        ...relation(dice, catalog),
        schema: { on_delete: dice.pick(ACTIONS) },
        meta: chance(dice, 2) ? { one_field: dice.pick(WAYS) } : null,
      };
    default:
      return { kind: 'relations.delete', ...relation(dice, catalog) };
  }
}
