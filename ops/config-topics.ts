/** The environment variables by what they are about, for `npm run config` and the documentation. */
import { locationVariables, prefixOf } from '#core/config/storage-location.ts';
import type { Variable } from '#core/config/variable.ts';
import { variables } from '#core/config/variables.ts';

export type Entry = Variable<unknown, string | undefined>;

/** Variables that belong together, in their order. */
export interface Topic {
  readonly title: string;
  readonly entries: readonly (readonly [string, Entry])[];
}

/** Set by Sluice itself, or for its tests. */
const INTERNAL: ReadonlySet<string> = new Set(['DATABASE_SHORTAGE', 'FAILPOINT']);

/** The first topic whose names match has the variable. */
const TOPICS: readonly (readonly [string, RegExp])[] = [
  ['Limits of requests', /^RATE_LIMIT_/],
  ['Queries', /^(?:QUERY_(?!TIMEOUT)|ANSWER_|MAX_RELATIONAL|MAX_JSON)/],
  ['GraphQL and WebSockets', /^(?:GRAPHQL_(?!PAGE)|WEBSOCKETS_)/],
  [
    'Bodies, streams and time limits',
    /^(?:BODY_|FORM_|MAX_BATCH|STREAM_|QUERY_TIMEOUT|EVENTS_MAX)/,
  ],
  ['The response cache', /^CACHE_/],
  [
    'Addresses and pages',
    /^(?:PORT|HOST|PUBLIC_URL|SLUICE_URL|IP_TRUST|HSTS|COMPRESSION|CORS_|.*_PAGE|ADMIN_APP|OPENAPI)/,
  ],
  ['Database and Redis', /^(?:DATABASE_|SCHEMA_|REDIS_URL)/],
  [
    'Files and images',
    /^(?:DATA_DIR|STORAGE_(?!WARN)|FILES_|TUS_|IMPORT_(?:IP|URL)|ASSETS_|UPLOADS_)/,
  ],
  ['Logins and tokens', /^(?:ADMIN_|ARGON2|SECRET|ACCESS_TOKEN|REFRESH_TOKEN|SESSION_|LOGIN_)/],
  ['Mail', /^(?:EMAIL_|NODE_ENV|USER_|PASSWORD_|REGISTER_)/],
  ['Imports, exports and jobs', /^(?:IMPORT_|EXPORT_|MAX_IMPORT|JOB|SPOOL_)/],
  [
    'Processes, monitor and health',
    /_PROCESSES$|^(?:EDGE_|WORKER_|MONITOR_|WATCHDOG|QUEUE_|REDIS_MEMORY|STORAGE_WARN)/,
  ],
  ['Logs, traces and history', /^(?:LOG_|ACCESS_LOG|OTEL_|.*RETENTION|HISTORY_)/],
];

/** In which order they are read: what everybody sets comes first. */
const ORDER = [
  'Addresses and pages',
  'Database and Redis',
  'Logins and tokens',
  'Processes, monitor and health',
  'Files and images',
  'Imports, exports and jobs',
  'Mail',
  'Logs, traces and history',
  'Limits of requests',
  'Bodies, streams and time limits',
  'Queries',
  'GraphQL and WebSockets',
  'The response cache',
];

function topicOf(name: string): string {
  const [title] = TOPICS.find(([, names]) => names.test(name)) ?? [];
  if (title === undefined) throw new Error(`${name} has no topic`);
  return title;
}

/** All variables by topics, those of the named storage locations at the end. */
export function configTopics(locations: readonly string[]): readonly Topic[] {
  const all = Object.entries<Entry>(variables).filter(([name]) => !INTERNAL.has(name));
  const byTopic = Map.groupBy(all, ([name]) => topicOf(name));
  const topics = ORDER.map((title) => ({ title, entries: byTopic.get(title) ?? [] }));
  const places = locations.map((location) => ({
    title: `The storage location ${location}`,
    entries: Object.entries<Entry>(locationVariables).map(
      ([name, entry]) => [prefixOf(location) + name, entry] as const,
    ),
  }));
  return [...topics, ...places];
}
