/** Which tables with the reserved prefix are Sluice's own. */
import { SYSTEM_PREFIX } from './catalog.ts';

const COLLECTIONS: ReadonlySet<string> = new Set(
  [
    'access',
    'activity',
    'collections',
    'comments',
    'fields',
    'files',
    'folders',
    'job_errors',
    'jobs',
    'permissions',
    'policies',
    'presets',
    'relations',
    'revisions',
    'roles',
    'settings',
    'users',
  ].map((name) => SYSTEM_PREFIX + name),
);

/** What processes share among themselves and nobody asks for. */
const INTERNAL: ReadonlySet<string> = new Set(
  [
    ...[
      'access_changes',
      'catalog',
      'leases',
      'logins',
      'members',
      'migrations',
      'registrations',
      'session_ends',
    ],
    ...['sessions', 'state', 'uploads'],
  ].map((name) => SYSTEM_PREFIX + name),
);

/** The table is a system collection, provided that it stands in the schema of the system tables. */
export function isSystemCollection(name: string): boolean {
  return COLLECTIONS.has(name);
}

/** The table is Sluice's own but no collection. */
export function isInternalTable(name: string): boolean {
  return INTERNAL.has(name);
}
