/** Which field each column of a file goes to: guessed by the names, and as one has chosen. */

import type { ImportReference } from '../../../client/source/index.ts';
import { relationOf } from '../data/relation-of.ts';
import { mayField } from '../data/rights.ts';
import type { Field, Relation, Rights } from '../data/schema-types.ts';
import { fieldName, humanize } from '../translation/names.ts';
import type { Mapping, Plan } from './plan.ts';

/** The fields that a file may fill: those with values, and lists of many-to-many relations. */
export function targetFields(
  fields: readonly Field[],
  { relations, rights }: { readonly relations: readonly Relation[]; readonly rights: Rights },
): readonly Field[] {
  return fields.filter((one) => {
    const { collection, field, type, schema } = one;
    if (type === 'alias' && relationOf(relations, one)?.kind !== 'm2m') return false;
    if (schema?.is_generated === true) return false;
    return (
      mayField(rights, collection, 'create', field) || mayField(rights, collection, 'update', field)
    );
  });
}

/** Whether a new item needs a value in the field. */
export function isRequired({ schema, meta }: Field): boolean {
  if (meta?.required === true) return true;
  if (schema === null || schema.is_nullable || schema.has_auto_increment) return false;
  return schema.default_value === null || schema.default_value === undefined;
}

const DATES = new Set(['date', 'time', 'dateTime', 'timestamp']);

/** Which questions about cells the fields raise. */
export function kindsOf(fields: readonly Field[]) {
  const types = new Set(fields.map(({ type }) => type));
  return {
    dates: [...types].some((type) => DATES.has(type)),
    zones: types.has('timestamp'),
    decimals: ['decimal', 'float'].some((type) => types.has(type)),
  };
}

/** What a field, or a collection, may be called whose name people write as they like. */
export function technicalName(name: string): string {
  const word = name
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, '_')
    .replace(/^_+|_+$/g, '');
  return /^\d/.test(word) ? `n${word}` : word;
}

/** The fields of a collection that the import makes; none twice. */
export function newMapping(columns: readonly string[], chosen: Mapping): Mapping {
  const taken = new Set<string>();
  return Object.fromEntries(
    columns.map((column) => {
      const choice = chosen[column];
      if (choice !== undefined) return [column, choice];
      const name = technicalName(column);
      if (name === '' || taken.has(name)) return [column, null];
      taken.add(name);
      return [column, name];
    }),
  );
}

/** The server finds the notation of each column, and asks where it cannot. */
export const NEW_KINDS = { dates: false, zones: false, decimals: false } as const;

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** All names by which a field is known. */
function namesOf(field: Field, locale: string): readonly string[] {
  const translated = (field.meta?.translations ?? []).map(({ translation }) => translation ?? '');
  return [field.field, humanize(field.field), fieldName(field, locale), ...translated].map(plain);
}

/** A column that is called by a path, such as `author.name`, goes where the path leads. */
function isPath(column: string, fields: readonly Field[]): boolean {
  const [first, ...rest] = column.split('.');
  return rest.length > 0 && fields.some(({ field }) => field === first);
}

/** The field of every column: what was chosen, else what the name says, else none; none twice. */
export function resolveMapping(
  columns: readonly string[],
  fields: readonly Field[],
  chosen: Mapping,
  locale: string,
): Mapping {
  const taken = new Set(columns.flatMap((column) => chosen[column] ?? []));
  const claim = (name: string | undefined) => {
    if (name === undefined || taken.has(name)) return null;
    taken.add(name);
    return name;
  };
  const exact = new Set(columns);
  return Object.fromEntries(
    columns.map((column) => {
      const choice = chosen[column];
      if (choice !== undefined) return [column, choice];
      if (column === '') return [column, null];
      if (fields.some(({ field }) => field === column) || isPath(column, fields)) {
        return [column, claim(column)];
      }
      const similar = fields.find(
        (field) => !exact.has(field.field) && namesOf(field, locale).includes(plain(column)),
      );
      return [column, claim(similar?.field)];
    }),
  );
}

/** The choices with one more; the column that had the field before is left out. */
export function withChoice(
  chosen: Mapping,
  current: Mapping,
  column: string,
  field: string | null,
) {
  const before = Object.entries(current).find(([other, to]) => to === field && other !== column);
  return {
    ...chosen,
    ...(field !== null && before !== undefined && { [before[0]]: null }),
    [column]: field,
  };
}

/** The references with that of one column, or without it. */
export function withReference(
  references: Plan['references'] = {},
  column: string,
  reference: ImportReference | undefined,
): NonNullable<Plan['references']> {
  const others = Object.entries(references).filter(([name]) => name !== column);
  return Object.fromEntries(reference === undefined ? others : [...others, [column, reference]]);
}

/** The changes of a plan by a new mapping: what was said of other fields is gone. */
export function withField(
  { references = {}, constants = {} }: Plan,
  mapping: Mapping,
): Pick<Plan, 'mapping' | 'references' | 'constants'> {
  const mapped = new Set(Object.values(mapping));
  return {
    mapping,
    references: Object.fromEntries(
      Object.entries(references).filter(([column, { field }]) => mapping[column] === field),
    ),
    constants: Object.fromEntries(
      Object.entries(constants).filter(([field]) => !mapped.has(field)),
    ),
  };
}
