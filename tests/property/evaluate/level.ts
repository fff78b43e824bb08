/** What a query asks of one level, taken apart: of the collection, or under `deep`. */
import type { Json } from '../model.ts';
import { entries, isMembers, type Run } from './run.ts';

export interface Level {
  readonly fields: readonly string[];
  readonly filter: Json;
  readonly search: string | null;
  readonly sort: readonly string[];
  /** Null: all. */
  readonly limit: number | null;
  readonly offset: number;
  readonly alias: ReadonlyMap<string, string>;
  readonly aggregate: readonly (readonly [string, string])[];
  readonly groupBy: readonly string[];
  readonly deep: ReadonlyMap<string, Json>;
  readonly nested: boolean;
}

function texts(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function number(value: Json | undefined): number | null {
  return typeof value === 'number' ? value : null;
}

/** The level of these members, whose names begin with `prefix` when they are parameters. */
export function levelOf(run: Run, source: Json, prefix: '' | '_'): Level {
  const value = (name: string): Json | undefined =>
    isMembers(source) ? source[prefix + name] : undefined;
  const asked = number(value('limit'));
  const limit = asked === -1 ? null : (asked ?? run.limitDefault);
  const page = number(value('page'));
  const paged = page !== null && limit !== null;
  const search = value('search');
  if (prefix === '_') for (const [name] of entries(source)) noteMember(run, name);
  return {
    fields: texts(value('fields')),
    filter: value('filter') ?? {},
    search: typeof search === 'string' ? search : null,
    sort: texts(value('sort')),
    limit,
    offset: paged ? Math.max(page - 1, 0) * limit : (number(value('offset')) ?? 0),
    alias: new Map(entries(value('alias')).map(([name, field]) => [name, String(field)])),
    aggregate: entries(value('aggregate')).flatMap(([name, fields]) =>
      (name === 'countAll' ? ['*'] : texts(fields)).map((field) => [name, field] as const),
    ),
    groupBy: texts(value(prefix === '' ? 'groupBy' : 'group')),
    deep: new Map(
      prefix === ''
        ? entries(value('deep'))
        : entries(source).filter(([name]) => !name.startsWith('_')),
    ),
    nested: prefix === '_',
  };
}

function noteMember(run: Run, name: string): void {
  if (name.startsWith('_')) run.cover(`deep ${name}`);
  else run.cover('deep inside deep');
}
