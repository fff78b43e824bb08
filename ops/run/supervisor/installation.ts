/**
 * One installation: starts everything in order, from the configuration to the last process, and
 * stops it in reverse order.
 */
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import { heapOptions } from '#core/base/process/heap-size.ts';
import { createPool } from '#core/database/pool.ts';
import { whenReachable } from '#core/database/reachable.ts';
import { channelOf } from '#core/messaging/open-message-bus.ts';
import { bootstrapAdmin } from '#core/model/system/bootstrap.ts';
import { clusterId } from '#core/model/system/cluster-id.ts';
import { migrate } from '#core/model/system/migrate.ts';
import { settleSchemaTrigger } from '#core/model/system/schema-trigger.ts';
import { openSigningKeys } from '#core/model/system/signing-key.ts';
import { systemSchema } from '#core/model/system/system-table.ts';
import { openMonitorCredentials } from '#ops/run/monitor/credentials.ts';
import { type BannerFacts, monitorUrl } from './banner.ts';
import { adminAppFolder } from './built-folders.ts';
import type { ChildSpec } from './child-process.ts';
import { type Allotment, allotConnections } from './connection-budget.ts';
import { explainStorage, makeDataDir } from './data-dir.ts';
import { type Lock, lockFolder } from './data-dir-lock.ts';
import { type Database, openDatabase } from './database.ts';
import { type GeneratedAdmin, keepCredentials } from './initial-admin.ts';
import { awaitLeftovers, SUPERVISOR_VARIABLE } from './orphaned-processes.ts';
import { probePort } from './port-check.ts';
import { checkQueueRight } from './queue-rights-check.ts';
import { announce } from './running-file.ts';
import { describeStorage } from './storage-description.ts';
import { Supervisor } from './supervisor.ts';
import { checkRedis, describeUrl, waitFor } from './wait-for-servers.ts';

const DRAIN_WITHIN_MS = 8_000;
const DATABASE_STOP_WITHIN_MS = 1_500;

export interface Scripts {
  readonly edge: string;
  readonly worker: string;
  /** Absent for an installation without one. */
  readonly monitor?: string;
}

export interface InstallationOptions {
  readonly config: Config;
  /** Root of the project; the working directory of the processes. */
  readonly root: string;
  readonly scripts: Scripts;
  readonly log: Log;
  /** Reports the current action to the operator. */
  readonly report: (line: string) => void;
}

export class Installation {
  readonly #options: InstallationOptions;
  readonly #dataDir: string;
  #lock: Lock | null = null;
  #database: Database | null = null;
  #supervisor: Supervisor | null = null;
  #withdraw: (() => void) | null = null;

  constructor(options: InstallationOptions) {
    this.#options = options;
    this.#dataDir = resolve(options.config.DATA_DIR);
  }

  /**
   * Starts everything and resolves when every process is ready.
   * @param stop rejects the start at its next step; {@link stop} then reverts the completed steps
   * @throws {SetupError} one line with the reason why it cannot start
   */
  async start(stop: AbortSignal): Promise<BannerFacts> {
    try {
      return await this.#start(stop);
    } catch (error) {
      throw explainStorage(error, this.#dataDir);
    }
  }

  async #start(stop: AbortSignal): Promise<BannerFacts> {
    const { config, log, report } = this.#options;
    makeDataDir(this.#dataDir);
    // Created before the processes that share it, so that its errors are reported once.
    openSigningKeys({ ...config, DATA_DIR: this.#dataDir });
    this.#lock = await this.#claim(stop);
    stop.throwIfAborted();
    const redis = config.REDIS_URL;
    const redisVersion =
      redis === undefined ? null : await waitFor(() => checkRedis(redis), { report, stop });
    const database = await openDatabase(config, {
      dataDir: this.#dataDir,
      report,
      log,
      stop,
      waits: true,
    });
    this.#database = database;
    stop.throwIfAborted();
    const monitor = this.#hasMonitor ? await openMonitorCredentials(config, this.#dataDir) : null;
    const prepare = async () => {
      if (redis === undefined) await checkQueueRight(database.directUrl);
      const allotment = await allotConnections(config, database.directUrl);
      return { allotment, admin: await this.#prepareTables(database) };
    };
    // The database may become unavailable again.
    const { allotment, admin } = await whenReachable(log, prepare, stop);
    stop.throwIfAborted();
    if (allotment.warning !== null) log.warn(allotment.warning);
    this.#supervisor = this.#supervise(database.url, allotment);
    await Promise.race([this.#supervisor.start(), once(stop, 'abort')]);
    stop.throwIfAborted();
    if (config.EDGE_PROCESSES > 0) this.#withdraw = announce(config, this.#dataDir);
    return {
      database: database.description,
      edges: allotment.EDGE_PROCESSES,
      workers: allotment.WORKER_PROCESSES,
      files: await describeStorage(config),
      queue: redis === undefined ? 'PostgreSQL' : `Redis ${redisVersion} at ${describeUrl(redis)}`,
      admin,
      monitor: monitor && { url: monitorUrl(config), password: monitor.generated },
    };
  }

  /** Rejects when a running process reports a wrong configuration; never resolves. */
  get failed(): Promise<never> {
    return this.#supervisor?.failed ?? new Promise(() => undefined);
  }

  /** Drains and ends everything within ten seconds; sooner when `hasten` is aborted. */
  async stop(hasten: AbortSignal): Promise<void> {
    this.#withdraw?.();
    await this.#supervisor?.stop(DRAIN_WITHIN_MS, hasten);
    await this.#database?.stop(hasten.aborted ? 0 : DATABASE_STOP_WITHIN_MS);
    this.#lock?.release();
  }

  /** Checks the port and, for an embedded database, locks the data folder. */
  async #claim(stop: AbortSignal): Promise<Lock | null> {
    const { config, report } = this.#options;
    const probe = async () => {
      if (config.EDGE_PROCESSES > 0) await probePort(config);
      if (!this.#hasMonitor) return;
      const { MONITOR_HOST: HOST, MONITOR_PORT: PORT } = config;
      await probePort({ HOST, PORT }, 'MONITOR_');
    };
    if (config.DATABASE_URL !== undefined) {
      await awaitLeftovers(this.#dataDir, report, stop);
      await probe();
      return null;
    }
    const lock = await lockFolder(this.#dataDir).catch(async (error: unknown) => {
      // When the port is also in use, that error is more useful to the operator.
      await probe();
      throw error;
    });
    try {
      await awaitLeftovers(this.#dataDir, report, stop);
      await probe();
      return lock;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  get #hasMonitor(): boolean {
    const { config, scripts } = this.#options;
    return scripts.monitor !== undefined && config.MONITOR_PORT > 0;
  }

  async #prepareTables(database: Database): Promise<GeneratedAdmin | null> {
    const { config, log, report } = this.#options;
    const applied = await migrate(config, database.directUrl);
    if (applied.length > 0) report(`Created or changed the system tables: ${applied.join(', ')}`);
    const pool = createPool(config, database.url, log, {
      name: 'start',
      max: 1,
      statementTimeout: 0,
    });
    try {
      let kept: GeneratedAdmin | null = null;
      await bootstrapAdmin(config, pool, (admin) => {
        report(`Creating the first administrator, ${admin.email}`);
        kept = keepCredentials(config, this.#dataDir, admin);
      });
      const schema = systemSchema(config);
      const channel = channelOf(await clusterId(pool, schema));
      const wanted = config.SCHEMA_EVENT_TRIGGER && config.REDIS_URL === undefined;
      await settleSchemaTrigger(pool, { schema, channel }, wanted);
      return kept;
    } finally {
      await pool.end();
    }
  }

  #supervise(databaseUrl: string, allotment: Allotment): Supervisor {
    const { config, root, scripts, log } = this.#options;
    const env = {
      ...process.env,
      DATABASE_URL: databaseUrl,
      DATA_DIR: this.#dataDir,
      EDGE_PROCESSES: String(config.EDGE_PROCESSES),
      // Edges serve the same folder as the banner shows.
      ADMIN_APP_DIR: adminAppFolder(config),
      DATABASE_POOL_MAX: String(allotment.DATABASE_POOL_MAX),
      STREAM_MAX: String(allotment.STREAM_MAX),
      ...(allotment.warning === null ? {} : { DATABASE_SHORTAGE: allotment.warning }),
      [SUPERVISOR_VARIABLE]: String(process.pid),
    };
    const several = (
      number: number,
      role: string,
      script: string,
      options: readonly string[] = [],
    ): ChildSpec[] =>
      Array.from({ length: number }, () => ({ role, script: join(root, script), options, env }));
    return new Supervisor({
      children: [
        ...several(allotment.EDGE_PROCESSES, 'edge', scripts.edge, heapOptions(config)),
        ...several(allotment.WORKER_PROCESSES, 'worker', scripts.worker),
        ...(this.#hasMonitor && scripts.monitor !== undefined
          ? several(1, 'monitor', scripts.monitor)
          : []),
      ],
      cwd: root,
      log,
      watchdog: config.WATCHDOG_TIMEOUT,
    });
  }
}
