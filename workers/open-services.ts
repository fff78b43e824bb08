/** Opens the services that the actors of a worker process share, and closes them again. */
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { AccessSource } from '#core/access/access-source.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { failpoints } from '#core/base/process/failpoint.ts';
import { createPool } from '#core/database/pool.ts';
import { whenReachable } from '#core/database/reachable.ts';
import { openLocations } from '#core/files/location/open-location.ts';
import { openStorages } from '#core/files/storage/open-storage.ts';
import { UnclaimedContent } from '#core/files/unclaimed-content.ts';
import { openQueues } from '#core/jobs/open-queues.ts';
import { QUEUE_NAMES } from '#core/jobs/queue.ts';
import { openBus } from '#core/messaging/open-message-bus.ts';
import { openCatalog } from '#core/model/catalog/open-catalog.ts';
import { VerifiedCatalog } from '#core/model/catalog/verified-catalog.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { systemSchema } from '#core/model/system/system-table.ts';
import { FileStore } from '#core/services/files/file-store.ts';
import { JobService } from '#core/services/jobs.ts';
import { LocationObjects } from '#core/services/location-objects.ts';
import { openResponseCache } from '#core/write/cache/open-response-cache.ts';
import { ChangeFeed } from '#core/write/changes/change-feed.ts';
import { WriteTransactions } from '#core/write/changes/write-transactions.ts';
import { ImageFiles } from './images/image-files.ts';
import { ImagePool } from './images/image-pool.ts';
import { ormOnDemand } from './metadata/orm-on-demand.ts';
import { CrashWatch } from './runtime/crash-watch.ts';
import { JobSessions } from './runtime/job-sessions.ts';
import { WorkerStatus } from './runtime/worker-status.ts';
import type { Services } from './services.ts';

/** Maximum connections of a process to the queue's database, without those for LISTEN. */
const QUEUE_CONNECTIONS = 8;

/** A job uses one connection for its transaction while the worker needs other connections. */
const LEAST_CONNECTIONS = 2;
/** Maximum connections of MikroORM; its statements are short and rare. */
const ENTITY_CONNECTIONS = 2;

/** Resolves when everything is open, however long the database is unavailable. */
export async function openServices(
  config: Config,
  url: string,
  log: Log,
  status: WorkerStatus = new WorkerStatus(),
): Promise<Services & AsyncDisposable> {
  // Each session must be identifiable, so that the session of a frozen worker can be ended.
  const direct = config.DATABASE_DIRECT_URL ?? url;
  const own = Math.max(LEAST_CONNECTIONS, config.DATABASE_POOL_MAX);
  const watches = own > 3 ? 1 : 0;
  const max = own - watches;
  const pool = createPool(config, direct, log, { name: 'worker', max, statementTimeout: 0 });
  const watch =
    watches === 0
      ? pool
      : createPool(config, direct, log, {
          name: 'worker watch',
          max: watches,
          statementTimeout: 0,
        });
  const crashes = new CrashWatch();
  for (const one of new Set([pool, watch])) crashes.follow(one);
  const schema = systemSchema(config);
  const id = randomUUID();
  const cluster = await whenReachable(log, () => clusterId(pool, schema));
  const bus = await openBus(config, direct, cluster, log);
  const catalog = await whenReachable(log, () =>
    openCatalog(config, {
      ...{ id, pool, watch, kind: 'worker', bus, log, keep: true },
      report: () => status.report(),
    }),
  );
  metrics.reading('sluice_catalog_version', () => [[{}, Number(catalog.current().version)]]);
  const caching = await openResponseCache(config, {
    ...{ pool, schema, cluster, catalog, log },
    answers: false,
  });
  const feed = new ChangeFeed(bus, id, log);
  const failpoint = failpoints(config, log);
  const transactions = new WriteTransactions({
    writes: caching.writes,
    feed,
    failpoint,
    access: null,
  });
  const entities = Math.min(ENTITY_CONNECTIONS, own - 1);
  const orm = ormOnDemand({ ...config, connections: entities }, direct, catalog, log);
  const shared = Math.min(QUEUE_CONNECTIONS, own - 1);
  const role = { role: 'consumer', max: QUEUE_NAMES.length + shared } as const;
  const queues = await openQueues(config, direct, cluster, log, role);
  const { spool, files: storages } = await openStorages(config);
  const jobs = new JobService({
    ...{ pool, schema, queues, bus, spool, log },
    maxPerHolder: config.JOBS_MAX_PER_USER,
    lockDuration: config.JOB_LOCK_DURATION,
  });
  const files = new FileStore({
    ...{ storages, config, log, failpoint },
    unclaimed: new UnclaimedContent({ pool, schema, maxPerUser: config.FILES_MAX_PER_USER }),
  });
  const images = new ImageFiles({
    store: files,
    pool: new ImagePool({
      max: Math.min(availableParallelism(), config.WORKER_CONCURRENCY),
      timeout: config.ASSETS_TRANSFORM_TIMEOUT,
      memory: config.ASSETS_TRANSFORM_MEMORY,
    }),
    limits: {
      maxDimension: config.ASSETS_TRANSFORM_IMAGE_MAX_DIMENSION,
      maxPixels: config.ASSETS_TRANSFORM_MAX_PIXELS,
    },
    places: config.FILES_METADATA_PLACES,
  });
  return {
    ...{
      config,
      log,
      pool,
      sessions: new JobSessions(pool),
      crashes,
      schema,
      catalog,
      checked: new VerifiedCatalog(catalog, schema),
      access: new AccessSource({ pool, schema, catalog, log }),
      orm,
      bus,
      queues,
      jobs,
      spool,
      files,
      located: new LocationObjects(await openLocations(config.importLocations)),
      images,
      transactions,
    },
    async [Symbol.asyncDispose]() {
      jobs.close();
      await images.close();
      await feed.close();
      await caching.close();
      await orm.close();
      await catalog.close();
      await queues.close();
      await bus.close();
      await pool.end();
      if (watch !== pool) await watch.end();
    },
  };
}
