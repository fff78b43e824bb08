/** What the actors of a worker process share. */
import type { AccessSource } from '#core/access/rights-source.ts';
import type { CatalogSource } from '#core/catalog/catalog-source.ts';
import type { ChangeJournal } from '#core/changes/journal.ts';
import type { Config } from '#core/config/config.ts';
import type { Pool } from '#core/database/pool.ts';
import type { Queues } from '#core/jobs/queue.ts';
import type { Log } from '#core/log/log.ts';
import type { MessageBus } from '#core/messages/bus.ts';
import type { JobService } from '#core/services/jobs.ts';
import type { Spool } from '#core/transfer/spool.ts';
import type { OrmOnDemand } from './metadata/orm-on-demand.ts';
import type { JobSessions } from './runtime/job-sessions.ts';

export interface Services {
  readonly config: Config;
  readonly log: Log;
  /** Connections that keep their session, without a bound on the time of a statement. */
  readonly pool: Pool;
  /** Those of them that jobs keep. */
  readonly sessions: JobSessions;
  /** The schema of the system tables. */
  readonly schema: string;
  readonly catalog: CatalogSource;
  /** The rights of those who submitted jobs. */
  readonly access: AccessSource;
  /** For the system tables, and for transactions that do not copy. */
  readonly orm: OrmOnDemand;
  readonly bus: MessageBus;
  readonly queues: Queues;
  readonly jobs: JobService;
  readonly spool: Spool;
  /** Tells of what is written to items. */
  readonly journal: ChangeJournal;
}
