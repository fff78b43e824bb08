/** What the list of a relation is made of: its rows, what they lead to, and what is read of them. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import { client } from '../data/client.ts';
import { keyFields, keyFromText } from '../data/item-key.ts';
import { fieldsQuery, relationsQuery, useFields, useRights } from '../data/queries.ts';
import type { RelationKind } from '../data/relation-of.ts';
import { may } from '../data/rights.ts';
import type { Field, Filter, Item, Relation } from '../data/schema-types.ts';
import { isItem, textOption } from '../data/values.ts';
import { type Column, chosenColumns, columnPaths, possibleColumns } from '../display/columns.ts';
import { useTemplate, useTemplates } from '../display/representation.ts';
import { templatePaths } from '../display/template.ts';
import { useTextShapes } from '../display/text-sample.ts';
import { idOf, keyValueOf, type ListChange } from './list-change.ts';
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
  /** The columns of a list that is a table; none where it is a list of names. */
  readonly columns: readonly Column[];
}

const NO_FIELDS: readonly Field[] = [];
const NO_RELATIONS: readonly Relation[] = [];

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

/** Columns of a table in a form, which has less room than a list. */
const MOST_COLUMNS = 5;

/** The columns of items that refer to this one, unless they are ordered by hand. */
function useRowColumns(
  kind: ManyKind,
  rows: string,
  fields: readonly Field[],
  sortField: string | null,
  implied: ReadonlySet<string>,
): readonly Column[] {
  const isTable = kind.kind === 'o2m' && sortField === null && rows !== 'system_files';
  const relations = useQuery(relationsQuery).data ?? NO_RELATIONS;
  const shapes = useTextShapes(rows, isTable ? fields : NO_FIELDS);
  const template = useTemplate(rows);
  return useMemo(() => {
    if (!isTable || shapes === null || template === '') return [];
    const shown = fields.filter(({ field }) => !implied.has(field));
    const items = { title: templatePaths(template), shapes };
    return chosenColumns(possibleColumns(shown, relations), null, items).slice(0, MOST_COLUMNS);
  }, [isTable, fields, relations, shapes, template, implied]);
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
  const implied = useMemo(
    () =>
      new Set([
        kind.relation.field,
        ...(sortField === null ? [] : [sortField]),
        ...(kind.kind === 'o2m' ? [] : [kind.junctionField]),
        ...(kind.kind === 'm2a' ? [kind.collectionField] : []),
      ]),
    [kind, sortField],
  );
  const template = templateOption(kind, field);
  const columns = useRowColumns(kind, rows, fields, sortField, implied);
  return { kind, rows, fields, targets, targetFields, sortField, template, implied, columns };
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
  if (kind.kind === 'o2m') {
    // A reference may be a part of the key, so its own value is read with the name.
    const columns = many.columns.flatMap((column) => [
      ...columnPaths(column, templates),
      ...(column.relation === null || !column.field.schema?.foreign_key_column
        ? []
        : [`${column.field.field}.${column.field.schema.foreign_key_column}`]),
    ]);
    return [...new Set([...own, ...shown(kind.related), ...columns])];
  }
  const { junctionField: onward } = kind;
  if (kind.kind === 'm2m')
    return [...own, ...shown(kind.related).map((path) => `${onward}.${path}`)];
  const scoped = many.targets.flatMap((name) =>
    shown(name).map((path) => `${onward}:${name}.${path}`),
  );
  return [...own, kind.collectionField, ...scoped];
}

/** Which of the rows are read. */
export interface RowChoice {
  readonly search: string;
  readonly filter: Filter | null;
}

/** The rows that are stored, read through the item that has them. */
export function useStoredRows(
  many: Many,
  { collection, field }: Pick<Field, 'collection' | 'field'>,
  itemKey: string | null,
  limit: number,
  { search, filter }: RowChoice,
) {
  const named = useMemo(
    () => [
      ...many.targets,
      ...many.columns.flatMap(({ relation }) =>
        relation?.kind === 'm2o' ? [relation.related] : [],
      ),
    ],
    [many.targets, many.columns],
  );
  const templates = useTemplates(named);
  const isReady = many.fields.length > 0 && named.every((name) => templates.has(name));
  const paths = rowPaths(many, templates);
  const sort = many.sortField === null ? keyFields(many.fields) : [many.sortField];
  const query = useQuery({
    queryKey: [
      'items',
      collection,
      'rows',
      itemKey,
      field,
      many.rows,
      paths,
      limit,
      search,
      filter,
    ],
    queryFn: async ({ signal }): Promise<readonly Item[]> => {
      const item = await client.items(collection).get(
        keyFromText(itemKey ?? ''),
        {
          fields: paths.map((path) => `${field}.${path}`),
          deep: {
            [field]: {
              ...{ _limit: limit + 1, _sort: sort },
              ...(search !== '' && { _search: search }),
              ...(filter !== null && { _filter: filter }),
            },
          },
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
    templates,
    rows: found.slice(0, limit),
    hasMore: found.length > limit,
    isLoading: itemKey !== null && query.data === undefined && query.error === null,
    error: query.data === undefined ? query.error : null,
    retry: query.refetch,
  };
}

/** The rows that are read, and those read before that are changed or taken out: no filter hides them. */
export function useWithChanged(
  fields: readonly Field[],
  rows: readonly Item[],
  change: ListChange,
): readonly Item[] {
  const seen = useRef<ReadonlyMap<string, Item>>(new Map());
  const read = useMemo(
    () =>
      new Map(
        rows.flatMap((row): [string, Item][] => {
          const key = keyValueOf(fields, row);
          return key === null ? [] : [[idOf(key), row]];
        }),
      ),
    [fields, rows],
  );
  useEffect(() => {
    seen.current = new Map([...seen.current, ...read]);
  }, [read]);
  const changed = [...change.update.map((item) => keyValueOf(fields, item)), ...change.delete];
  const ids = new Set(changed.flatMap((key) => (key === null ? [] : [idOf(key)])));
  const hidden = [...ids].flatMap((id): Item[] => {
    const row = read.has(id) ? undefined : seen.current.get(id);
    return row === undefined ? [] : [row];
  });
  return [...rows, ...hidden];
}
