/** What the list of a relation is made of: its rows, what they lead to, and what is read of them. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { client } from '../data/client.ts';
import { keyFields, keyFromText } from '../data/item-key.ts';
import { fieldsQuery, useFields, useRights } from '../data/queries.ts';
import type { RelationKind } from '../data/relation-of.ts';
import { may } from '../data/rights.ts';
import type { Field, Item } from '../data/schema-types.ts';
import { isItem, textOption } from '../data/values.ts';
import { useTemplates } from '../display/representation.ts';
import { shownPaths } from './related.ts';

export type ManyKind = Exclude<RelationKind, { readonly kind: 'm2o' }>;

export interface Many {
  readonly kind: ManyKind;
  /** The collection of the rows: related items themselves, or those of a junction. */
  readonly rows: string;
  readonly fields: readonly Field[];
  /** The collections that one can choose from, or create in. */
  readonly targets: readonly string[];
  readonly targetFields: ReadonlyMap<string, readonly Field[]>;
  readonly sortField: string | null;
  /** What targets are called in this list; null: as everywhere. */
  readonly template: string | null;
  /** Fields of a row that its place says. */
  readonly implied: ReadonlySet<string>;
}

const NO_FIELDS: readonly Field[] = [];

function targetsOf(kind: ManyKind): readonly string[] {
  return kind.kind === 'm2a' ? kind.allowed : [kind.related];
}

/** The template of a list, told from its rows, as one of what they lead to. */
function templateOption(kind: ManyKind, { meta }: Pick<Field, 'meta'>): string | null {
  const template = textOption(meta?.options, 'template');
  if (template === null || kind.kind === 'o2m') return template;
  if (kind.kind === 'm2a') return null;
  return template.replaceAll(/\{\{\s*([^{}.]+)\./g, (slot, first) =>
    first === kind.junctionField ? '{{' : slot,
  );
}

export function useMany(kind: ManyKind, field: Pick<Field, 'meta'>): Many {
  const rights = useRights();
  const rows = kind.kind === 'o2m' ? kind.related : kind.junction;
  const fields = useFields(rows);
  const targets = targetsOf(kind).filter((name) => may(rights, name, 'read'));
  const targetFields = useQueries({
    queries: targets.map((name) => fieldsQuery(name)),
    combine: (results) =>
      new Map(results.map(({ data }, index) => [targets[index] ?? '', data ?? NO_FIELDS])),
  });
  const sortField = kind.relation.meta?.sort_field ?? null;
  const implied = new Set([
    kind.relation.field,
    ...(sortField === null ? [] : [sortField]),
    ...(kind.kind === 'o2m' ? [] : [kind.junctionField]),
    ...(kind.kind === 'm2a' ? [kind.collectionField] : []),
  ]);
  const template = templateOption(kind, field);
  return { kind, rows, fields, targets, targetFields, sortField, template, implied };
}

/** The collection that a row leads to; null when that is not known. */
export function targetOf({ kind, targets }: Many, row: Item): string | null {
  if (kind.kind === 'o2m' || kind.kind === 'm2m') return kind.related;
  const name = row[kind.collectionField];
  return typeof name === 'string' && targets.includes(name) ? name : null;
}

/** What a row leads to, as it stands in the row; the row itself where there is no junction. */
export function memberOf({ kind }: Many, row: Item): unknown {
  return kind.kind === 'o2m' ? row : row[kind.junctionField];
}

/** Whether rows of a junction have fields of their own, which one can write. */
export function hasOwnFields({ kind, fields, implied }: Many): boolean {
  if (kind.kind === 'o2m') return false;
  return fields.some(
    ({ field, type, meta, schema }) =>
      type !== 'alias' && !implied.has(field) && !meta?.hidden && !schema?.is_primary_key,
  );
}

function rowPaths(many: Many, templates: ReadonlyMap<string, string>): readonly string[] {
  const { kind, fields, sortField, targetFields } = many;
  const own = [...keyFields(fields), ...(sortField === null ? [] : [sortField])];
  const shown = (name: string) =>
    shownPaths(
      name,
      targetFields.get(name) ?? NO_FIELDS,
      many.template ?? templates.get(name) ?? '',
    );
  if (kind.kind === 'o2m') return [...new Set([...own, ...shown(kind.related)])];
  const { junctionField: onward } = kind;
  if (kind.kind === 'm2m')
    return [...own, ...shown(kind.related).map((path) => `${onward}.${path}`)];
  const scoped = many.targets.flatMap((name) =>
    shown(name).map((path) => `${onward}:${name}.${path}`),
  );
  return [...own, kind.collectionField, ...scoped];
}

/** The rows that are stored, read through the item that has them. */
export function useStoredRows(
  many: Many,
  { collection, field }: Pick<Field, 'collection' | 'field'>,
  itemKey: string | null,
  limit: number,
) {
  const templates = useTemplates(many.targets);
  const isReady =
    many.fields.length > 0 && many.targets.every((name) => (templates.get(name) ?? '') !== '');
  const paths = rowPaths(many, templates);
  const sort = many.sortField === null ? keyFields(many.fields) : [many.sortField];
  const query = useQuery({
    queryKey: ['items', collection, 'rows', itemKey, field, many.rows, paths, limit],
    queryFn: async ({ signal }): Promise<readonly Item[]> => {
      const item = await client.items(collection).get(
        keyFromText(itemKey ?? ''),
        {
          fields: paths.map((path) => `${field}.${path}`),
          deep: { [field]: { _limit: limit + 1, _sort: sort } },
        },
        { signal },
      );
      const rows = item[field];
      return Array.isArray(rows) ? rows.filter(isItem) : [];
    },
    enabled: itemKey !== null && isReady,
    placeholderData: (before) => before,
  });
  const found = query.data ?? [];
  return {
    rows: found.slice(0, limit),
    hasMore: found.length > limit,
    isLoading: itemKey !== null && query.data === undefined && query.error === null,
    error: query.data === undefined ? query.error : null,
    retry: query.refetch,
  };
}
