/** All environment variables of Sluice by topic, for start-up, `npm run config` and the documentation. */
import type { StorageLocation } from './storage-location.ts';
import { addressVariables } from './topic/address.ts';
import { bodyVariables } from './topic/body.ts';
import { cacheVariables } from './topic/cache.ts';
import { databaseVariables } from './topic/database.ts';
import { fileVariables } from './topic/file.ts';
import { graphqlAndWebsocketVariables } from './topic/graphql-and-websocket.ts';
import { internalVariables } from './topic/internal.ts';
import { jobVariables } from './topic/job.ts';
import { logVariables } from './topic/log.ts';
import { loginVariables } from './topic/login.ts';
import { mailVariables } from './topic/mail.ts';
import { processVariables } from './topic/process.ts';
import { queryVariables } from './topic/query.ts';
import { rateLimitVariables } from './topic/rate-limit.ts';
import type { Variable } from './variable.ts';

export const variables = {
  ...addressVariables,
  ...databaseVariables,
  ...loginVariables,
  ...processVariables,
  ...fileVariables,
  ...jobVariables,
  ...mailVariables,
  ...logVariables,
  ...rateLimitVariables,
  ...bodyVariables,
  ...queryVariables,
  ...graphqlAndWebsocketVariables,
  ...cacheVariables,
  ...internalVariables,
};

/** Related variables under a title, in the order of the documentation. */
export const VARIABLES_BY_TOPIC = [
  { title: 'Addresses and pages', variables: addressVariables },
  { title: 'Database and Redis', variables: databaseVariables },
  { title: 'Logins and tokens', variables: loginVariables },
  { title: 'Processes, monitor and health', variables: processVariables },
  { title: 'Files and images', variables: fileVariables },
  { title: 'Imports, exports and jobs', variables: jobVariables },
  { title: 'Mail', variables: mailVariables },
  { title: 'Logs, traces and history', variables: logVariables },
  { title: 'Limits of requests', variables: rateLimitVariables },
  { title: 'Bodies, streams and time limits', variables: bodyVariables },
  { title: 'Queries', variables: queryVariables },
  { title: 'GraphQL and WebSockets', variables: graphqlAndWebsocketVariables },
  { title: 'The response cache', variables: cacheVariables },
] as const;

type Variables = typeof variables;
type Value<T> =
  T extends Variable<infer V, infer F> ? (F extends string ? V : V | undefined) : never;

/** The typed value of each variable, by name, and the locations of files. */
export type Config = { readonly [K in keyof Variables]: Value<Variables[K]> } & {
  /** The locations of STORAGE_LOCATIONS, in order. */
  readonly locations: readonly StorageLocation[];
  /** The locations of IMPORT_LOCATIONS, in order; Sluice only reads them. */
  readonly importLocations: readonly StorageLocation[];
};
