/**
 * The registry of system collections: each has one entry with all its fixed properties. Routes,
 * permissions, history, the catalog and the documents derive from it, so a new collection needs an
 * entry here and a migration.
 */
import { ACCOUNT } from './account-collections.ts';
import {
  type AppRight,
  own,
  type Service,
  type SystemCollection,
  type SystemField,
} from './entry.ts';
import { FILE } from './file-collections.ts';
import { HISTORY } from './history-collections.ts';
import { IMPORT } from './import-collections.ts';
import { INSIGHT } from './insight-collections.ts';
import { JOB } from './job-collections.ts';
import { SYSTEM_PREFIX, systemName } from './name.ts';
import { SCHEMA } from './schema-collections.ts';
import { APPLICATION } from './settings-collections.ts';

const ENTRIES = {
  ...SCHEMA,
  ...HISTORY,
  ...APPLICATION,
  ...INSIGHT,
  ...ACCOUNT,
  ...FILE,
  ...JOB,
  ...IMPORT,
};

/** The name of a system collection, without the prefix. */
export type SystemCollectionName = keyof typeof ENTRIES;

/** The entries by their names in the catalog, with the prefix. */
export const SYSTEM_COLLECTIONS: ReadonlyMap<string, SystemCollection> = new Map(
  Object.entries(ENTRIES).map(([name, entry]) => [SYSTEM_PREFIX + name, entry]),
);

/** The system collections that have routes, without the prefix, and how these work. */
export const SERVED: readonly (readonly [string, Service])[] = Object.entries<SystemCollection>(
  ENTRIES,
).flatMap(([name, { service }]) => (service === null ? [] : [[name, service] as const]));

/** The names, with the prefix, of the collections for which a condition is true. */
export function systemCollections(
  holds: (entry: SystemCollection) => boolean,
): ReadonlySet<string> {
  const found = [...SYSTEM_COLLECTIONS].filter(([, entry]) => holds(entry));
  return new Set(found.map(([name]) => name));
}

/** A field of a system collection; names without the prefix. */
export function systemField(name: SystemCollectionName, field: string): SystemField | undefined {
  const entry: SystemCollection = ENTRIES[name];
  return Object.hasOwn(entry.fields, field) ? entry.fields[field] : undefined;
}

/** The value of an SQL literal. */
function literalValue(literal: string): unknown {
  const text = /^'(.*)'$/s.exec(literal)?.[1];
  return text === undefined ? JSON.parse(literal) : text.replaceAll("''", "'");
}

/** An empty row: its columns with their defaults. */
export function defaultRow(
  name: SystemCollectionName,
  without: readonly string[],
): Readonly<Record<string, unknown>> {
  const columns = Object.entries<SystemField>(ENTRIES[name].fields).filter(
    ([field, { type }]) => type !== null && !without.includes(field),
  );
  return Object.fromEntries(
    columns.map(([field, facts]) => [
      field,
      facts.default === undefined ? null : literalValue(facts.default),
    ]),
  );
}

/** Internal tables of the processes; no request reads them. */
export const INTERNAL_TABLES: ReadonlySet<string> = new Set(
  [
    ...['access_changes', 'catalog', 'deleted_items', 'idempotency_keys', 'leases', 'listeners'],
    ...['import_changes', 'import_objects', 'import_undos'],
    ...[
      'logins',
      'members',
      'migrations',
      'queue_statistics',
      'queues',
      'registrations',
      'resumable_uploads',
      'session_ends',
      'sessions',
      'state',
      'file_variants',
      'unclaimed_content',
      'uploads',
    ],
  ].map(systemName),
);

/** The permissions of app access on collections that do not exist yet; their names are reserved. */
const RESERVED: Readonly<Record<string, readonly AppRight[]>> = {
  translations: [{ action: 'read' }],
  notifications: [
    { action: 'read', permissions: own('recipient') },
    { action: 'update', permissions: own('recipient'), fields: ['status'] },
  ],
  shares: [{ action: 'read', permissions: own('user_created') }],
};

/** The permissions of app access, with the name of the collection. */
export const APP_RIGHTS_BY_COLLECTION: readonly (readonly [string, readonly AppRight[]])[] = [
  ...[...SYSTEM_COLLECTIONS].map(([name, { app = [] }]) => [name, app] as const),
  ...Object.entries(RESERVED).map(([name, rights]) => [systemName(name), rights] as const),
];

/** A column that refers to another system collection, by names without the prefix. */
export interface SystemReference {
  readonly collection: string;
  readonly field: string;
  readonly onDelete: 'NO ACTION' | 'CASCADE' | 'SET NULL' | null;
}

/** The columns that refer to a system collection. */
export function referencesTo(target: SystemCollectionName): readonly SystemReference[] {
  return Object.entries<SystemCollection>(ENTRIES).flatMap(([collection, { fields }]) =>
    Object.entries(fields).flatMap(([field, { references }]) =>
      references?.collection === target
        ? [{ collection, field, onDelete: references.onDelete }]
        : [],
    ),
  );
}
