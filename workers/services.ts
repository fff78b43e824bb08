/** The services that the actors of a worker process share. */
import type { AccessSource } from '#core/access/access-source.ts';
import type { Config } from '#core/base/config/variables.ts';
import type { Log } from '#core/base/log/log.ts';
import type { Pool } from '#core/database/pool.ts';
import type { Storage } from '#core/files/storage/storage.ts';
import type { Queues } from '#core/jobs/queue.ts';
import type { MessageBus } from '#core/messaging/bus.ts';
import type { CatalogSource } from '#core/model/catalog/catalog-source.ts';
import type { VerifiedCatalog } from '#core/model/catalog/verified-catalog.ts';
import type { FileStore } from '#core/services/files/file-store.ts';
import type { JobService } from '#core/services/jobs.ts';
import type { LocationObjects } from '#core/services/location-objects.ts';
import type { WriteTransactions } from '#core/write/changes/write-transactions.ts';
import type { ImageFiles } from './images/image-files.ts';
import type { OrmOnDemand } from './metadata/orm-on-demand.ts';
import type { CrashWatch } from './runtime/crash-watch.ts';
import type { JobSessions } from './runtime/job-sessions.ts';

export interface Services {
  readonly config: Config;
  readonly log: Log;
  /** Connections that preserve their sessions; their statements have no timeout. */
  readonly pool: Pool;
  /** The connections that jobs use exclusively. */
  readonly sessions: JobSessions;
  /** Detects which session crashed the server. */
  readonly crashes: CrashWatch;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: CatalogSource;
  /** The catalog with one table verified against the database. */
  readonly checked: VerifiedCatalog;
  /** The permissions of the users who submitted jobs. */
  readonly access: AccessSource;
  /** For queries on `system_jobs`. */
  readonly orm: OrmOnDemand;
  readonly bus: MessageBus;
  readonly queues: Queues;
  readonly jobs: JobService;
  readonly spool: Storage;
  /** The content of files. */
  readonly files: FileStore;
  /** The objects of IMPORT_LOCATIONS. */
  readonly located: LocationObjects;
  /** Reads and transforms images. */
  readonly images: ImageFiles;
  /** Reports writes to items. */
  readonly transactions: WriteTransactions;
}
