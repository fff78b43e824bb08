/** The data model as a graph: collections with the fields that count, relations from field to field. */
import { undescribedLists } from '../../data/relation-of.ts';
import type { Collection, Field, Relation } from '../../data/schema-types.ts';
import { collectionName, fieldName } from '../../translation/names.ts';
import { isSystem } from '../collection-rows.ts';

export interface End {
  readonly collection: string;
  readonly field: string;
}

/** `m2o` where the other side has no list of these items, else `o2m`. */
export type EdgeKind = 'm2o' | 'o2m' | 'm2m' | 'm2a';

export interface PictureEdge {
  readonly id: string;
  readonly kind: EdgeKind;
  /** The side with the reference; of many-to-many one of both. */
  readonly from: End;
  readonly to: End;
  /** The junction that the edge stands for. */
  readonly through: string | null;
}

export interface PictureRow {
  readonly field: string;
  readonly name: string;
  readonly type: string;
  readonly isKey: boolean;
  readonly isRequired: boolean;
  readonly isRelation: boolean;
}

export interface PictureCard {
  readonly collection: string;
  readonly name: string;
  readonly icon: string | null;
  readonly color: string | null;
  readonly isSystem: boolean;
  readonly rows: readonly PictureRow[];
  /** How many fields are not shown. */
  readonly hidden: number;
}

export interface Picture {
  readonly cards: readonly PictureCard[];
  readonly edges: readonly PictureEdge[];
}

export interface Model {
  readonly collections: ReadonlyMap<string, Collection>;
  /** The fields of all collections, in any order. */
  readonly fields: readonly Field[];
  readonly relations: readonly Relation[];
}

export interface PictureOptions {
  readonly locale: string;
  readonly withSystem: boolean;
  /** Whether junctions are cards; else each is an edge. */
  readonly withJunctions: boolean;
  readonly allFields: boolean;
  /** The collections with all their fields, whatever the others show. */
  readonly expanded: ReadonlySet<string>;
  /** Only this collection and its neighbours. */
  readonly focus: string | null;
}

function listOf({ meta, reverse }: Relation): string | null {
  return meta?.one_field ?? reverse?.field ?? null;
}

function onwardOf({ meta, reverse }: Relation): string | null {
  return meta?.junction_field ?? reverse?.junction_field ?? null;
}

interface Junction {
  readonly near: Relation;
  readonly far: Relation;
}

/** The collections that do nothing but connect two others, with both relations. */
function junctionsOf(
  relations: readonly Relation[],
  counts: (name: string) => boolean,
): ReadonlyMap<string, Junction> {
  const shown = relations.filter(
    ({ collection, related_collection: related }) =>
      counts(collection) && (related === null || counts(related)),
  );
  const referred = new Set(shown.map(({ related_collection: related }) => related));
  for (const { meta } of shown) {
    for (const name of meta?.one_allowed_collections ?? []) referred.add(name);
  }
  const found = new Map<string, Junction>();
  for (const [name, own] of Map.groupBy(shown, ({ collection }) => collection)) {
    const near = own.find((relation) =>
      own.some((far) => far !== relation && far.field === onwardOf(relation)),
    );
    const far = own.find(({ field }) => near !== undefined && field === onwardOf(near));
    if (near === undefined || far === undefined || own.length > 2 || referred.has(name)) continue;
    // Of many-to-any the side with the list is the near one.
    found.set(name, near.related_collection === null ? { near: far, far: near } : { near, far });
  }
  return found;
}

interface Sides {
  readonly keyOf: (collection: string) => string;
  readonly counts: (name: string) => boolean;
}

/** Where a relation leads: to the list of the other side, else to its key; of any, to several keys. */
function targetsOf(relation: Relation, { keyOf, counts }: Sides): readonly End[] {
  const { related_collection: related, meta } = relation;
  const names = related === null ? (meta?.one_allowed_collections ?? []) : [related];
  return names.filter(counts).map((collection) => ({
    collection,
    field: (related === null ? null : listOf(relation)) ?? keyOf(collection),
  }));
}

function edgesOf(
  relations: readonly Relation[],
  junctions: ReadonlyMap<string, Junction>,
  sides: Sides,
): readonly PictureEdge[] {
  const direct = relations.filter(
    ({ collection }) => sides.counts(collection) && !junctions.has(collection),
  );
  return [
    ...direct.flatMap((relation) => {
      const { collection, field, related_collection: related } = relation;
      const kind = related === null ? 'm2a' : listOf(relation) === null ? 'm2o' : 'o2m';
      return targetsOf(relation, sides).map((to): PictureEdge => {
        const id = `${collection}.${field}>${to.collection}`;
        return { id, kind, from: { collection, field }, to, through: null };
      });
    }),
    ...[...junctions].flatMap(([through, { near, far }]) => {
      const kind = far.related_collection === null ? 'm2a' : 'm2m';
      return targetsOf(near, sides).flatMap((from) =>
        targetsOf(far, sides).map((to): PictureEdge => {
          return { id: `${through}>${to.collection}`, kind, from, to, through };
        }),
      );
    }),
  ];
}

function isMandatory({ meta, schema }: Field): boolean {
  if (meta?.required) return true;
  return (
    schema !== null &&
    !schema.is_nullable &&
    schema.default_value === null &&
    schema.is_generated !== true &&
    !schema.has_auto_increment
  );
}

const PLACE_LAST = Number.MAX_SAFE_INTEGER;

/** The fields of each collection, in the order of its form, with the lists that nothing describes. */
function fieldsByCollection({ fields, relations }: Model): ReadonlyMap<string, readonly Field[]> {
  const lists = Map.groupBy(
    relations.filter(({ related_collection: related }) => related !== null),
    ({ related_collection: related }) => related ?? '',
  );
  const place = ({ meta }: Field) => meta?.sort ?? PLACE_LAST;
  return new Map(
    [...Map.groupBy(fields, ({ collection }) => collection)].map(([name, own]) => {
      const known = own.toSorted((a, b) => place(a) - place(b));
      return [name, [...known, ...undescribedLists(name, known, lists.get(name) ?? [])]];
    }),
  );
}

function cardOf(
  collection: Collection,
  fields: readonly Field[],
  relational: ReadonlySet<string>,
  { locale, allFields, expanded }: PictureOptions,
): PictureCard {
  const { collection: name, meta } = collection;
  const rows = fields.flatMap((field): readonly PictureRow[] => {
    const isRelation = relational.has(`${name}.${field.field}`);
    // Lines and groups of a form are no fields of the model.
    if (field.type === 'alias' && !isRelation) return [];
    return [
      {
        field: field.field,
        name: fieldName(field, locale),
        type: field.type,
        isKey: field.schema?.is_primary_key === true,
        isRequired: isMandatory(field),
        isRelation,
      },
    ];
  });
  const counting = rows.filter(
    ({ isKey, isRequired, isRelation }) => isKey || isRequired || isRelation,
  );
  const shown = allFields || expanded.has(name) ? rows : counting;
  return {
    ...{
      collection: name,
      name: collectionName(collection, locale),
      isSystem: isSystem(collection),
    },
    ...{ icon: meta?.icon ?? null, color: meta?.color ?? null },
    ...{ rows: shown, hidden: rows.length - shown.length },
  };
}

/** The names of a collection's neighbours and its own. */
function neighbourhood(focus: string, edges: readonly PictureEdge[]): ReadonlySet<string> {
  return new Set([
    focus,
    ...edges.flatMap(({ from, to }) => {
      if (from.collection === focus) return [to.collection];
      return to.collection === focus ? [from.collection] : [];
    }),
  ]);
}

/** Makes the picture; edges always lead to fields that their cards show. */
export function pictureOf(model: Model, options: PictureOptions): Picture {
  const { collections, relations } = model;
  const { withSystem, withJunctions, focus } = options;
  const fields = fieldsByCollection(model);
  const tables = [...collections.values()].filter(({ schema }) => schema !== null);
  const shown = new Set(
    tables
      .filter((known) => withSystem || known.collection === focus || !isSystem(known))
      .map(({ collection }) => collection),
  );
  const counts = (name: string) => shown.has(name);
  const keyOf = (name: string) =>
    fields.get(name)?.find(({ schema }) => schema?.is_primary_key)?.field ?? '';
  const junctions = withJunctions
    ? new Map<string, Junction>()
    : new Map([...junctionsOf(relations, counts)].filter(([name]) => name !== focus));
  const edges = edgesOf(relations, junctions, { keyOf, counts });
  const near = focus !== null && shown.has(focus) ? neighbourhood(focus, edges) : null;
  const drawn = tables.filter(
    ({ collection }) =>
      shown.has(collection) && !junctions.has(collection) && (near?.has(collection) ?? true),
  );
  const relational = new Set(
    relations.flatMap((relation) => {
      const { collection, field, related_collection: related } = relation;
      return [`${collection}.${field}`, `${related}.${listOf(relation)}`];
    }),
  );
  const cards = drawn.map((collection) =>
    cardOf(collection, fields.get(collection.collection) ?? [], relational, options),
  );
  const rows = new Set(
    cards.flatMap((card) => card.rows.map(({ field }) => `${card.collection}.${field}`)),
  );
  const stands = ({ collection, field }: End) => rows.has(`${collection}.${field}`);
  return {
    cards,
    edges: edges.filter(
      ({ from, to }) =>
        stands(from) &&
        stands(to) &&
        (near === null || from.collection === focus || to.collection === focus),
    ),
  };
}
