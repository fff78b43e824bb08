/**
 * Finds the differences between the database and the published catalog, and describes only these.
 * The result is the same as if everything were described again.
 */
import assert from 'node:assert';
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Client } from '#core/database/pool.ts';
import { describeTables, descriptorOf } from './build-descriptors.ts';
import { compareText } from './canonical-text.ts';
import type { CatalogSchemas } from './catalog.ts';
import { readPublished, readUnservedTables } from './catalog-store.ts';
import { type SeenTable, type Survey, survey, surveyTables } from './collection-stamps.ts';
import type { CollectionDescriptor, TableDescriptor, UnservedTable } from './descriptor.ts';
import { introspect } from './introspect.ts';
import { type ServedTables, selectServedTables } from './select-served-tables.ts';
import type {
  ChangedCollection,
  CollectionOrigin,
  UnpublishedChanges,
} from './unpublished-changes.ts';

/** Another process published during the comparison; compare again at once. */
export class ConcurrentPublication extends Error {}

interface Scope {
  /** The only names to compare; null for all. */
  readonly names: readonly string[] | null;
  /** Describe everything, even unchanged collections. */
  readonly whole: boolean;
}

/** In the order of a complete comparison. */
function orderLeftOut(list: readonly UnservedTable[], schemas: readonly string[]): UnservedTable[] {
  const isTable = ({ name }: UnservedTable) => Number(name !== '');
  const schemaOrder = ({ schema }: UnservedTable) => schemas.indexOf(schema);
  return list.toSorted(
    (a, b) =>
      isTable(a) - isTable(b) || schemaOrder(a) - schemaOrder(b) || compareText(a.name, b.name),
  );
}

/** The origins of the current collections, by name. */
function originsOf(
  seen: Survey,
  { served, folders }: ServedTables<SeenTable>,
): Map<string, CollectionOrigin> {
  const origins = new Map<string, CollectionOrigin>();
  const metadataOf = (name: string) => seen.metadata.get(name) ?? null;
  for (const [name, { oid: relation, stamp, estimate }] of served) {
    origins.set(name, { relation, stamp, estimate, metadata: metadataOf(name) });
  }
  for (const name of folders) {
    const nothing = { relation: null, stamp: null, estimate: null };
    origins.set(name, { ...nothing, metadata: metadataOf(name) });
  }
  return origins;
}

/** Without the row estimate. */
function isSame(known: CollectionOrigin | undefined, now: CollectionOrigin): boolean {
  return (
    known !== undefined &&
    known.relation === now.relation &&
    known.stamp === now.stamp &&
    known.metadata === now.metadata
  );
}

async function describeOrigins(
  client: Client,
  { schemas, system }: CatalogSchemas,
  origins: ReadonlyMap<string, CollectionOrigin>,
): Promise<CollectionDescriptor[]> {
  if (origins.size === 0) return [];
  const found = await introspect(client, schemas, system, [...origins.keys()]);
  const byOid = new Map(found.tables.map((table) => [table.oid, table]));
  const tables = new Map<string, TableDescriptor | null>();
  for (const [name, { relation }] of origins) {
    const table = relation === null ? null : byOid.get(relation);
    if (table === null) tables.set(name, null);
    // One that was dropped or renamed meanwhile is found by the next survey.
    else if (table?.name === name) tables.set(name, descriptorOf(table));
  }
  return describeTables(tables, found);
}

async function entriesOf(
  collections: readonly CollectionDescriptor[],
  origins: ReadonlyMap<string, CollectionOrigin>,
  published: ReadonlyMap<string, { readonly digest: string }>,
): Promise<ChangedCollection[]> {
  const entries: ChangedCollection[] = [];
  const slice = new TimeSlice();
  for (const collection of collections) {
    const { name } = collection;
    const origin = origins.get(name);
    assert(origin !== undefined, 'only requested collections are described');
    const descriptor = JSON.stringify(collection);
    const digest = createHash('sha256').update(descriptor).digest('base64');
    const same = published.get(name)?.digest === digest;
    entries.push({ name, origin, digest, descriptor, same });
    await slice.rest();
  }
  return entries;
}

/**
 * The names whose tables have changed since the survey. A statement has a snapshot from its start,
 * but PostgreSQL's functions in it use the current state. An object that was dropped meanwhile has
 * no privileges and no expressions, and would be missing or incomplete.
 */
async function movingNames(
  client: Client,
  schemas: readonly string[],
  { tables }: Survey,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const { tables: again } = await surveyTables(client, schemas, names);
  const stampOf = (list: readonly SeenTable[]) => {
    const stamps = new Map<string, string>();
    for (const { schema, name, stamp } of list) {
      stamps.set(name, `${stamps.get(name) ?? ''} ${schema} ${stamp}`);
    }
    return stamps;
  };
  const [before, after] = [stampOf(tables), stampOf(again)];
  return new Set(names.filter((name) => before.get(name) !== after.get(name)));
}

/**
 * Compares the database with the published catalog. Needs READ COMMITTED and the search_path
 * `pg_catalog`. If other processes can publish meanwhile, compare the published version before and
 * after.
 */
export async function findUnpublishedChanges(
  client: Client,
  catalogSchemas: CatalogSchemas,
  { names, whole }: Scope,
): Promise<UnpublishedChanges> {
  const { schemas, system } = catalogSchemas;
  const seen = await survey(client, catalogSchemas, names);
  const found = selectServedTables(seen.tables, seen.schemas, seen.described, catalogSchemas);
  const origins = originsOf(seen, found);
  const published = await readPublished(client, system, names);
  const before = await readUnservedTables(client, system);
  const here = new Set(['', ...(names ?? [])]);
  const others = before.filter(({ name }) => names !== null && !here.has(name));
  const leftOut = orderLeftOut([...others, ...found.leftOut], schemas);
  const gone = [...published.keys()].filter((name) => !origins.has(name));
  const orphans = seen.related.filter((name) => !origins.has(name));
  const changed =
    whole ||
    gone.length > 0 ||
    !isDeepStrictEqual(before, leftOut) ||
    Array.from(origins).some(([name, origin]) => !isSame(published.get(name), origin));
  if (!changed) return { entries: [], gone, leftOut, changed, orphans, moving: new Set() };
  // A collection that is published anyway also gets its new estimate.
  const differing = new Map(
    Array.from(origins).filter(([name, origin]) => {
      const known = published.get(name);
      return whole || !isSame(known, origin) || known?.estimate !== origin.estimate;
    }),
  );
  const described = await describeOrigins(client, catalogSchemas, differing);
  // The stored description may not match its digest, so it is not treated as unchanged.
  const entries = await entriesOf(described, differing, whole ? new Map() : published);
  const keyOf = ({ schema, name, reason }: UnservedTable) => JSON.stringify([schema, name, reason]);
  const known = new Set(before.map(keyOf));
  const fresh = found.leftOut.filter((one) => !known.has(keyOf(one)));
  const doubtful = new Set([...differing.keys(), ...fresh.map(({ name }) => name)]);
  const moving = await movingNames(client, schemas, seen, [...doubtful]);
  if (moving.size === 0) return { entries, gone, leftOut, changed, orphans, moving };
  const stays = (name: string) => !moving.has(name);
  return {
    entries: entries.filter(({ name }) => stays(name)),
    gone: gone.filter(stays),
    leftOut: orderLeftOut(
      [
        ...leftOut.filter(({ name }) => stays(name)),
        ...before.filter(({ name }) => moving.has(name)),
      ],
      schemas,
    ),
    changed,
    orphans: orphans.filter(stays),
    moving,
  };
}
