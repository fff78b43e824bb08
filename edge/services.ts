/** Opens the services of an edge process, and closes them again. */
import { randomUUID } from 'node:crypto';
import { AccessSource } from '#core/access/access-source.ts';
import { type IdentityServices, openIdentity } from '#core/accounts/identity/open-identity.ts';
import { hashPassword } from '#core/accounts/identity/password.ts';
import { SecretSeal } from '#core/accounts/identity/secret-seal.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { FairSemaphore } from '#core/base/holders/fair-semaphore.ts';
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { failpoints } from '#core/base/process/failpoint.ts';
import { createPool } from '#core/database/pool.ts';
import { PoolProbe } from '#core/database/pool-probe.ts';
import { PoolShares } from '#core/database/pool-shares.ts';
import { whenReachable } from '#core/database/reachable.ts';
import { Reader } from '#core/database/reader.ts';
import { openLocations } from '#core/files/location/open-location.ts';
import { ResumableUploadTable } from '#core/files/resumable-upload.ts';
import { openStorages } from '#core/files/storage/open-storage.ts';
import { PartBuffers } from '#core/files/storage/part-buffers.ts';
import { UnclaimedContent } from '#core/files/unclaimed-content.ts';
import { ImportedObjects } from '#core/jobs/imported-objects.ts';
import { openQueues } from '#core/jobs/open-queues.ts';
import { SpoolQuota } from '#core/jobs/quota.ts';
import { LiveSubscriptions } from '#core/live/live-subscriptions.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { RedisChecks } from '#core/messaging/redis/redis-checks.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { waitForEdges } from '#core/model/catalog/wait-for-edges.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { RELEASE } from '#core/model/system/release.ts';
import { openSigningKeys } from '#core/model/system/signing-key.ts';
import { systemSchema } from '#core/model/system/system-table.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { arrivingUploads } from '#core/services/arriving-uploads.ts';
import { ExportService } from '#core/services/exports.ts';
import { AssetService } from '#core/services/files/assets.ts';
import { FileStore } from '#core/services/files/file-store.ts';
import { ImageMeasurement } from '#core/services/files/image-measurement.ts';
import { ResumableUploads } from '#core/services/files/resumable-uploads.ts';
import { SignedUrls } from '#core/services/files/signed-urls.ts';
import { FileUploads } from '#core/services/files/uploads.ts';
import { VariantService } from '#core/services/files/variants.ts';
import { HealthService } from '#core/services/health/health.ts';
import { ImportProfiles } from '#core/services/import-profiles.ts';
import { ImportService } from '#core/services/imports.ts';
import { ItemService } from '#core/services/items.ts';
import { JobService } from '#core/services/jobs.ts';
import { LocationObjects } from '#core/services/location-objects.ts';
import { type MailFlowServices, openMailFlows } from '#core/services/open-mail-flow.ts';
import { PermissionService } from '#core/services/permissions.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import { QueueService } from '#core/services/queues.ts';
import { servesItems } from '#core/services/request-context.ts';
import { RevertService } from '#core/services/revert.ts';
import { openIndexBuilds } from '#core/services/schema/index-build.ts';
import { SchemaService } from '#core/services/schema/schema-changes.ts';
import { SchemaView } from '#core/services/schema/schema-view.ts';
import { SnapshotService } from '#core/services/schema/snapshots.ts';
import { ServerInfo } from '#core/services/server-info.ts';
import { OwnAccountService } from '#core/services/system/own-account.ts';
import { systemRules } from '#core/services/system/rule.ts';
import { SystemService } from '#core/services/system/system-items.ts';
import { UndoService } from '#core/services/undo-imports.ts';
import { RuleAudit } from '#core/services/unreadable-rules.ts';
import { openResponseCache } from '#core/write/cache/open-response-cache.ts';
import { affectsAccess } from '#core/write/changes/access-writes.ts';
import { ChangeFeed } from '#core/write/changes/change-feed.ts';
import { ChangeReceiver } from '#core/write/changes/change-receiver.ts';
import { ListenedCollections } from '#core/write/changes/deleted-items.ts';
import { WriteTransactions } from '#core/write/changes/write-transactions.ts';
import { DocumentCache } from './graphql/document-cache.ts';
import { Introspection } from './graphql/introspection.ts';
import { openLimits } from './limit/open-rate-limits.ts';
import type { Limits } from './limit/rate-limits.ts';
import { ApiDocuments } from './openapi/api-documents.ts';
import { openAdminApp, openDocs } from './static/built-folders.ts';
import type { Folder } from './static/file-source.ts';
import { OpenStreams } from './streams/open-streams.ts';
import { RightWatch } from './streams/revoked-streams.ts';

/** Maximum connections of an edge to the queue's database. */
const QUEUE_CONNECTIONS = 2;
/** Milliseconds that a piece of an upload waits for memory. */
const PIECE_WAIT_MS = 60_000;
/** Maximum pipelined connections of an edge; more do not speed up short reads. */
const MAX_PIPELINED = 3;
/** Part of its connections that an edge may use to read for subscribers. */
const LIVE_SHARE = 0.3;

export interface EdgeServices extends IdentityServices, MailFlowServices {
  readonly config: Config;
  readonly log: Log;
  readonly bounds: QueryBounds;
  readonly catalog: CatalogSource;
  readonly access: AccessSource;
  readonly items: ItemService;
  readonly system: SystemService;
  readonly ownAccount: OwnAccountService;
  readonly reverts: RevertService;
  readonly permissions: PermissionService;
  readonly schema: SchemaService;
  readonly schemaView: SchemaView;
  readonly snapshots: SnapshotService;
  readonly jobs: JobService;
  readonly queues: QueueService;
  readonly imports: ImportService;
  /** The objects of IMPORT_LOCATIONS, and those that were imported. */
  readonly located: LocationObjects;
  readonly importedObjects: ImportedObjects;
  readonly profiles: ImportProfiles;
  readonly undos: UndoService;
  /** Limits arriving uploads: a permit for each upload, {@link arrivingUploads}. */
  readonly uploads: FairSemaphore;
  readonly files: FileUploads;
  readonly resumables: ResumableUploads;
  readonly assets: AssetService;
  readonly variants: VariantService;
  readonly signedUrls: SignedUrls;
  readonly exports: ExportService;
  readonly health: HealthService;
  readonly info: ServerInfo;
  readonly limits: Limits;
  readonly streams: OpenStreams;
  /** Notifies subscribers of changes; null when WebSockets are disabled. */
  readonly live: LiveSubscriptions | null;
  /** The GraphQL documents that clients sent. */
  readonly documents: DocumentCache;
  /** Serves the GraphQL schema to clients. */
  readonly introspection: Introspection;
  /** The files of the Admin App, if it is built. */
  readonly adminApp: Folder;
  /** The files of the documentation, if it is built. */
  readonly docs: Folder;
  /** The cached OpenAPI documents. */
  readonly apiDocuments: ApiDocuments;
  /** Why this edge cannot answer; null when it can. */
  readonly readiness: () => string | null;
  close(): Promise<void>;
}

/** Opens everything; waits for servers that are unavailable. */
export async function openEdgeServices(
  config: Config,
  url: string,
  log: Log,
): Promise<EdgeServices> {
  const id = randomUUID();
  const schema = systemSchema(config);
  const statementTimeout = config.QUERY_TIMEOUT;
  const pipelined = Math.min(MAX_PIPELINED, Math.floor(config.DATABASE_POOL_MAX / 2));
  const watches = config.DATABASE_POOL_MAX - pipelined > 2 ? 1 : 0;
  const max = config.DATABASE_POOL_MAX - pipelined - watches;
  const pool = createPool(config, url, log, { name: 'edge', max, statementTimeout });
  const watch =
    watches === 0
      ? pool
      : createPool(config, url, log, { name: 'edge watch', max: watches, statementTimeout });
  const shares = new PoolShares({ pool, url, log, wait: config.DATABASE_POOL_WAIT });
  const reader = new Reader({
    ...{ url, name: 'edge', log, shares, pipelined, statementTimeout },
    streams: {
      max: config.STREAM_MAX,
      perHolder: config.STREAM_MAX_PER_USER,
      wait: config.DATABASE_POOL_WAIT,
    },
    streamMaxTime: config.STREAM_MAX_TIME,
  });
  const secrets = openSigningKeys(config);
  const secretKeys = new SecretSeal(secrets).names;
  const cluster = await whenReachable(log, () => clusterId(pool, schema));
  const [bus] = await Promise.all([openBus(config, url, cluster, log), reader.open()]);
  const catalog = await whenReachable(log, () =>
    openCatalog(config, {
      ...{ id, pool, watch, bus, log, secretKeys },
      kind: 'edge',
      keep: config.WORKER_PROCESSES === 0,
    }),
  );
  metrics.reading('sluice_catalog_version', () => [[{}, Number(catalog.current().version)]]);
  const queues = await openQueues(config, url, cluster, log, {
    role: 'producer',
    max: Math.min(QUEUE_CONNECTIONS, config.DATABASE_POOL_MAX),
  });
  const bounds = queryBounds(config);
  const access = new AccessSource({ pool, schema, catalog, log });
  const confirm = waitForEdges({ pool: watch, schema, catalog, bus, log });
  const identity = openIdentity({ config, pool, schema, catalog, access, confirm, log }, secrets);
  const closing = new AbortController();
  void identity.storedSecrets.encryptAll(closing.signal);
  const { spool, files: storages } = await openStorages(config);
  for (const storage of [spool, ...storages.values()]) {
    storage.sweep().then(
      (files) => files > 0 && log.info({ files }, 'removing unfinished uploads'),
      (error: unknown) => log.warn({ err: error }, 'the upload folder is unusable'),
    );
  }
  const jobs = new JobService({
    ...{ pool, schema, queues, bus, spool, log },
    maxPerHolder: config.JOBS_MAX_PER_USER,
    lockDuration: config.JOB_LOCK_DURATION,
  });
  const limits = await openLimits(config, cluster, log);
  const caching = await openResponseCache(config, {
    ...{ pool, schema, cluster, catalog, log },
    answers: true,
  });
  const streams = new OpenStreams();
  const introspection = new Introspection(log);
  const rightWatch = new RightWatch({ streams, access, catalog });
  const feed = new ChangeFeed(bus, id, log);
  const failpoint = failpoints(config, log);
  const transactions = new WriteTransactions({
    writes: caching.writes,
    feed,
    failpoint,
    access: {
      influences: (changes) => affectsAccess(catalog.current(), changes),
      confirm,
    },
  });
  const ruleOf = systemRules({ locations: [...storages.keys()] });
  const itemOptions = {
    ruleOf,
    catalog,
    reader,
    pool,
    shares,
    bounds,
    access,
    hash: (secret: string, holder: string) => hashPassword(config, secret, holder),
    maxBatch: config.MAX_BATCH_MUTATION,
    schema,
    transactions,
    responses: null,
    listeners: config.WEBSOCKETS_ENABLED,
  };
  const live = config.WEBSOCKETS_ENABLED
    ? new LiveSubscriptions({
        ...{ catalog, access, bounds, reader, schema, log },
        listening: new ListenedCollections(watch, schema, id),
        maxPerHolder: config.WEBSOCKETS_MAX_SUBSCRIPTIONS_PER_USER,
        slots: Math.max(2, Math.floor(config.DATABASE_POOL_MAX * LIVE_SHARE)),
      })
    : null;
  const heard = live === null ? null : new ChangeReceiver({ bus, pool: watch, schema, log }, live);
  const system = new SystemService({ ...itemOptions, confirmation: identity.confirmation });
  const items = new ItemService({
    ...itemOptions,
    serves: servesItems,
    responses: caching.responses,
  });
  const uploads = arrivingUploads(config.UPLOADS_MAX_PER_USER);
  const unclaimed = new UnclaimedContent({
    ...{ pool, schema, maxPerUser: config.FILES_MAX_PER_USER },
  });
  const store = new FileStore({ ...{ storages, config, log, failpoint }, unclaimed });
  const images = new ImageMeasurement(jobs, log);
  const assets = new AssetService({ pool, schema, store, catalog, access, bounds });
  const resumables = new ResumableUploads({
    ...{ store, system, images, arriving: uploads, bounds },
    table: new ResumableUploadTable(pool, schema, config.TUS_UPLOAD_EXPIRATION),
    buffers: new PartBuffers({
      size: config.STORAGE_PART_SIZE,
      max: Math.floor(config.STORAGE_UPLOAD_MEMORY / config.STORAGE_PART_SIZE),
      wait: PIECE_WAIT_MS,
    }),
    maxBytes: config.FILES_MAX_UPLOAD_SIZE,
    maxPerUser: config.TUS_MAX_PER_USER,
  });
  const probe = new PoolProbe(pool, config.DATABASE_POOL_WAIT);
  const rules = new RuleAudit({ pool, schema, catalog, bounds });
  void rules.report(log);
  const mailFlows = openMailFlows(
    { config, pool, schema, jobs, access, bounds, confirm, users: system },
    secrets,
  );
  return {
    config,
    log,
    bounds,
    catalog,
    access,
    ...identity,
    jobs,
    items,
    system,
    ownAccount: new OwnAccountService(system, bounds),
    reverts: new RevertService({ items, system, schema, bounds }),
    ...mailFlows,
    permissions: new PermissionService({ catalog, access, bounds, reader }),
    schema: new SchemaService({ catalog, jobs }),
    snapshots: new SnapshotService({
      catalog,
      pool,
      schema,
      home: config.DATABASE_SCHEMA[0] ?? schema,
    }),
    schemaView: new SchemaView({
      catalog,
      access,
      builds: () => openIndexBuilds(pool, schema),
    }),
    located: new LocationObjects(await openLocations(config.importLocations)),
    importedObjects: new ImportedObjects(pool, schema),
    undos: new UndoService({ pool, schema, jobs, holds: caching.imports }),
    profiles: new ImportProfiles(system, bounds),
    imports: new ImportService({
      catalog,
      access,
      jobs,
      spool,
      holds: caching.imports,
      maxBytes: config.IMPORT_MAX_SIZE,
      quota: new SpoolQuota({ pool, schema, max: config.SPOOL_MAX_PER_USER }),
      log,
    }),
    queues: new QueueService({ pool, schema, queues, log }),
    uploads,
    files: new FileUploads({ store, system, images, arriving: uploads }),
    resumables,
    assets,
    variants: new VariantService({ pool, schema, jobs, config }),
    signedUrls: new SignedUrls({ pool, schema, access, assets }, secrets),
    exports: new ExportService({ catalog, access, bounds, jobs, spool }),
    info: new ServerInfo({ pool, schema, config }),
    health: new HealthService({
      config,
      catalog,
      pool,
      bus,
      cluster,
      release: RELEASE,
      schema,
      redis:
        queues.connection.kind === 'redis'
          ? new RedisChecks({
              redis: queues.connection.redis,
              key: `sluice-${cluster}-health`,
              memoryWarn: config.REDIS_MEMORY_WARN,
            })
          : null,
      // The first location also stores the files of jobs.
      storages: [...storages].map(([name, storage], place) => {
        const checked = place === 0 ? spool : storage;
        return { name, storage: checked, free: () => checked.free() };
      }),
      unclaimed: () => unclaimed.amounts([...storages.keys()]),
      unresponsive: () => reader.unresponsive,
      shortage: config.DATABASE_SHORTAGE,
      rules,
      others: () => ({
        ...limits.checks(),
        ...caching.responses?.checks(),
        ...streams.checks(config.STREAM_MAX),
        ...introspection.checks(catalog.current()),
      }),
    }),
    limits,
    streams,
    live,
    introspection,
    adminApp: openAdminApp(config),
    docs: openDocs(),
    apiDocuments: new ApiDocuments(config),
    documents: new DocumentCache({
      tokens: config.GRAPHQL_QUERY_TOKEN_LIMIT,
      aliases: config.GRAPHQL_MAX_ALIASES,
      fields: config.GRAPHQL_MAX_FIELDS,
      rootFields: config.GRAPHQL_MAX_ROOT_FIELDS,
      introspection: config.GRAPHQL_INTROSPECTION,
    }),
    readiness: () => {
      if (!catalog.ready()) return 'It has lost contact with the database.';
      return probe.answers ? null : 'The pool of its database connections gives no answer.';
    },
    async close() {
      closing.abort();
      probe.close();
      rightWatch.close();
      heard?.close();
      live?.close();
      introspection.close();
      limits.close();
      jobs.close();
      await feed.close();
      await caching.close();
      await catalog.close();
      await Promise.allSettled([queues.close(), bus.close(), reader.close()]);
      await pool.end();
      if (watch !== pool) await watch.end();
    },
  };
}
