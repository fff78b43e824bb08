/** Puts a client together of its parts. */
import { type Auth, createAuth } from './auth.ts';
import { createTransfers, type Transfers } from './collection.ts';
import { type Assets, createAssets, createUploads, type Uploads } from './file.ts';
import { createGraphql, type Graphql } from './graphql.ts';
import { type CollectionItems, createItems } from './items.ts';
import { createJobs, type Jobs } from './job.ts';
import { createLive } from './live.ts';
import { createMe, type Me } from './me.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import { type Key, keySegment } from './path.ts';
import { createQueues, type Queues } from './queue.ts';
import { createSchemas, type Schemas } from './schema.ts';
import { createServer, type Server } from './server.ts';
import { createSession } from './session.ts';
import { createTransport, type RequestOptions } from './transport.ts';
import type { AnySchema, IsLoose, ItemOf, Names, SystemSchema } from './types/index.ts';
import { createUtilities, type Utilities } from './utility.ts';

/** The schema that knows a system collection: that of the client, else that of every installation. */
type Knowing<Schema, Collection extends string> =
  IsLoose<Schema> extends true ? Schema : Collection extends keyof Schema ? Schema : SystemSchema;

type SystemItems<Schema, Name extends string> = CollectionItems<
  Knowing<Schema, `system_${Name}`>,
  `system_${Name}`
>;

export interface Client<Schema = AnySchema> {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly auth: Auth;
  readonly me: Me<Knowing<Schema, 'system_users'>>;
  readonly users: SystemItems<Schema, 'users'> & {
    /** Takes the second factor of a user away; for administrators. */
    disableTfa(user: Key, options?: CallOptions): Promise<void>;
  };
  readonly roles: SystemItems<Schema, 'roles'>;
  readonly policies: SystemItems<Schema, 'policies'>;
  readonly permissions: SystemItems<Schema, 'permissions'>;
  readonly access: SystemItems<Schema, 'access'>;
  readonly folders: SystemItems<Schema, 'folders'>;
  readonly presets: SystemItems<Schema, 'presets'>;
  readonly comments: SystemItems<Schema, 'comments'>;
  readonly dashboards: SystemItems<Schema, 'dashboards'>;
  readonly panels: SystemItems<Schema, 'panels'>;
  readonly importProfiles: SystemItems<Schema, 'import_profiles'>;
  readonly activity: SystemItems<Schema, 'activity'>;
  readonly revisions: SystemItems<Schema, 'revisions'>;
  /** A singleton: `readSingleton` and `updateSingleton`. */
  readonly settings: SystemItems<Schema, 'settings'>;
  readonly files: SystemItems<Schema, 'files'> &
    Uploads<ItemOf<Knowing<Schema, 'system_files'>, 'system_files'>>;
  readonly assets: Assets;
  readonly schema: Schemas;
  readonly jobs: Jobs;
  readonly queues: Queues;
  readonly utils: Utilities;
  readonly server: Server;
  /** The items of a collection; system collections go by their own routes. */
  items<Collection extends Names<Schema>>(
    collection: Collection,
  ): CollectionItems<Schema, Collection> & Transfers<Schema, Collection>;
  readonly graphql: Graphql;
  /** Any route; yields what stands in `data`, where the API puts it there. */
  request<T = unknown>(method: string, path: string, options?: RequestOptions): Promise<T>;
  /** Any route; yields the answer itself, to be read as a stream. */
  open(method: string, path: string, options?: RequestOptions): Promise<Response>;
  /** Ends timers, subscriptions and connections; the session stays as it is. */
  close(): void;
}

/** Makes a client for the API at the URL. */
export function createClient<Schema = AnySchema>(
  url: string,
  options: ClientOptions = {},
): Client<Schema> {
  const transport = createTransport(url, options);
  const session = createSession(transport);
  const live = createLive(transport.url, options, session);
  const system = <Name extends string>(name: Name): SystemItems<Schema, Name> =>
    createItems(transport, `system_${name}`);
  return {
    url: transport.url,
    auth: createAuth(transport, session),
    me: createMe(transport),
    users: {
      ...system('users'),
      disableTfa: (user, call) =>
        transport.request('POST', `/users/${keySegment(user)}/tfa/disable`, call),
    },
    roles: system('roles'),
    policies: system('policies'),
    permissions: system('permissions'),
    access: system('access'),
    folders: system('folders'),
    presets: system('presets'),
    comments: system('comments'),
    dashboards: system('dashboards'),
    panels: system('panels'),
    importProfiles: system('import_profiles'),
    activity: system('activity'),
    revisions: system('revisions'),
    settings: system('settings'),
    schema: createSchemas(transport),
    jobs: createJobs(transport),
    queues: createQueues(transport),
    utils: createUtilities(transport),
    server: createServer(transport),
    files: { ...system('files'), ...createUploads(transport) },
    assets: createAssets(transport),
    items: (collection) => ({
      ...createItems(transport, collection),
      ...createTransfers(transport, live, collection),
    }),
    graphql: createGraphql(transport),
    request: transport.request,
    open: transport.open,
    close() {
      live.close();
      session.close();
    },
  };
}
