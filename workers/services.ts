/** What the actors of a worker process share. */
import type { AccessSource } from '#core/access/rights-source.ts';
import type { CatalogSource } from '#core/catalog/catalog-source.ts';
import type { CheckedCatalog } from '#core/catalog/checked-catalog.ts';
import type { ChangeJournal } from '#core/changes/write-transaction.ts';
import type { Config } from '#core/config/config.ts';
import type { Pool } from '#core/database/pool.ts';
import type { Queues } from '#core/jobs/queue.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import type { FileStore } from '#core/services/files/file-store.ts';
import type { JobService } from '#core/services/jobs.ts';
import type { Storage } from '#core/storage/storage.ts';
import type { ImageFiles } from './images/image-files.ts';
import type { OrmOnDemand } from './metadata/orm-on-demand.ts';
import type { CrashWatch } from './runtime/crash-watch.ts';
import type { JobSessions } from './runtime/job-sessions.ts';

export interface Services {
  readonly config: Config;
  readonly log: Log;
  /** Connections that keep their session; their statements have no timeout. */
  readonly pool: Pool;
  /** Those of the connections that jobs have for themselves. */
  readonly sessions: JobSessions;
  /** Which session crashed the server. */
  readonly crashes: CrashWatch;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: CatalogSource;
  /** The catalog with one table as it is now. */
  readonly checked: CheckedCatalog;
  /** The rights of the users who submitted jobs. */
  readonly access: AccessSource;
  /** For queries on `system_jobs`. */
  readonly orm: OrmOnDemand;
  readonly bus: MessageBus;
  readonly queues: Queues;
  readonly jobs: JobService;
  readonly spool: Storage;
  /** The bytes of files. */
  readonly files: FileStore;
  /** Reads and transforms images. */
  readonly images: ImageFiles;
  /** Reports writes to items. */
  readonly journal: ChangeJournal;
}
