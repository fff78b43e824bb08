/** Determines which tables become collections, and why other tables are not served. */
import { SYSTEM_PREFIX } from '../system-collections/name.ts';
import { INTERNAL_TABLES, SYSTEM_COLLECTIONS } from '../system-collections/registry.ts';
import type { CatalogSchemas } from './catalog.ts';
import type { UnservedTable } from './descriptor.ts';

/** The table properties for the decision. */
export interface CandidateTable {
  readonly schema: string;
  readonly name: string;
  /** The role can use the schema and read the whole table. */
  readonly readable: boolean;
  /** Number of readable columns. */
  readonly width: number;
}

/** The result, before anything is described. */
export interface ServedTables<T extends CandidateTable> {
  /** The tables of collections by name, in the order of introspection. */
  readonly served: ReadonlyMap<string, T>;
  /** Collections without a table. */
  readonly folders: readonly string[];
  readonly leftOut: readonly UnservedTable[];
}

/** Why a table cannot be a collection; null when it can. */
function fault(
  { schema, name, readable, width }: CandidateTable,
  system: string,
  taken: ReadonlyMap<string, CandidateTable>,
): string | null {
  if (name.startsWith(SYSTEM_PREFIX)) {
    const own = schema === system && SYSTEM_COLLECTIONS.has(name);
    if (!own) return `Its name begins with ${SYSTEM_PREFIX}, which is reserved.`;
  }
  if (name.includes('/')) return 'Its name contains a slash, which a path cannot address.';
  if (width === 0) {
    return readable
      ? 'It has no columns.'
      : 'The database role may not read it: it needs USAGE on the schema and SELECT on the table.';
  }
  const earlier = taken.get(name);
  return earlier === undefined
    ? null
    : `Its name is taken by the table in the schema ${earlier.schema}.`;
}

/**
 * Splits tables into served ones and others, and finds folders: metadata without a table.
 * @param candidates by the position of their schema, then by name
 * @param existing the schemas that exist
 * @param described collections with a row of metadata
 */
export function selectServedTables<T extends CandidateTable>(
  candidates: readonly T[],
  existing: ReadonlySet<string>,
  described: readonly string[],
  { schemas, system }: CatalogSchemas,
): ServedTables<T> {
  const served = new Map<string, T>();
  const leftOut: UnservedTable[] = schemas
    .filter((schema) => !existing.has(schema))
    .map((schema) => ({ schema, name: '', reason: 'The schema does not exist.' }));
  for (const candidate of candidates) {
    const { schema, name } = candidate;
    if (schema === system && INTERNAL_TABLES.has(name)) continue;
    const reason = fault(candidate, system, served);
    if (reason === null) served.set(name, candidate);
    else leftOut.push({ schema, name, reason });
  }
  const hidden = new Set(leftOut.map(({ name }) => name));
  const folders = described
    .filter((name) => !served.has(name) && !hidden.has(name))
    .filter((name) => !name.startsWith(SYSTEM_PREFIX) && !name.includes('/'));
  return { served, folders, leftOut };
}
