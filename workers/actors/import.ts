/**
 * Runs imports: imports the spooled file into its table, and stores the result in the row of the
 * job.
 */
import { jobCaller } from '#core/access/job-caller.ts';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import { hashPassword } from '#core/accounts/identity/password.ts';
import { metrics } from '#core/base/metrics/metrics.ts';
import { withConnection } from '#core/database/pool.ts';
import { DamagedFile } from '#core/files/storage/verify-content.ts';
import { IMPORT_JOB, type ImportMessage, importMessage } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { rejectedFileId } from '#core/jobs/rejected-file-id.ts';
import { sameFileAs } from '#core/jobs/same-file.ts';
import { completeJob } from '#core/jobs/write-job-status.ts';
import type { JobProgress } from '#core/messaging/bus.ts';
import { importDestination } from '#core/services/import-destination.ts';
import { importOptions } from '#core/services/import-options.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import { systemRules } from '#core/services/system/rule.ts';
import { importFile } from '#core/transfer/import.ts';
import type { ImportResult, ImportSender } from '#core/transfer/run/import-options.ts';
import { type Change, MAX_KEYS } from '#core/write/changes/change.ts';
import type { AnnouncedChanges } from '#core/write/changes/write-transactions.ts';
import { History, NO_VISITOR } from '#core/write/history/history.ts';
import type { Actor, ActorContext } from '#workers/runtime/actor.ts';
import { RetryableError } from '#workers/runtime/retryable-error.ts';
import { createCollection } from './create-collection.ts';
import { discardContent, openContent, recordObject } from './import-content.ts';

const rowsRead = metrics.counter('sluice_import_rows_total', {});
/** Phases that are remembered; a file that is checked row by row repeats some. */
const MOST_PHASES = 12;
const bytesRead = metrics.counter('sluice_import_bytes_total', {});

/**
 * The sender of the file, with the current permissions.
 * @throws ServiceError FORBIDDEN
 */
async function senderOf(
  { sender }: ImportMessage,
  { services, job }: ActorContext,
): Promise<ImportSender> {
  const caller = await jobCaller(services, job.user, sender?.ip ?? null);
  const rights = await services.access.rightsOf(caller);
  const { config } = services;
  const hash = (secret: string) => hashPassword(config, secret, quotaKeyOf(caller));
  const maxItems = config.MAX_BATCH_MUTATION;
  const ruleOf = systemRules({ locations: config.locations.map(({ name }) => name) });
  return { caller, rights, bounds: queryBounds(config), hash, ruleOf, maxItems };
}

/** The options with the notations that the columns of a new collection have. */
function withFormats(
  parameters: ImportParameters,
  formats: ImportParameters['formats'],
): ImportParameters {
  if (formats === undefined || Object.keys(formats).length === 0) return parameters;
  return { ...parameters, formats: { ...formats, ...parameters.formats } };
}

/** Notes a change of a mirror; collections with many deleted items are noted once, without keys. */
function noteDeletions(noted: Change[], change: Change): void {
  const isSame = ({ collection, action, keys }: Change) =>
    keys === null && collection === change.collection && action === change.action;
  if (noted.some(isSame)) return;
  const isLong = (change.keys?.length ?? 0) > MAX_KEYS;
  noted.push(isLong ? { ...change, keys: null } : change);
}

/** Imports the file; calls `announce` after all rows are written, before the commit. */
async function importSpooled(
  message: ImportMessage,
  context: ActorContext,
  announce: (written: ReadonlySet<string>, deletions: readonly Change[]) => Promise<void>,
): Promise<ImportResult> {
  const { collection, parameters = {} } = message;
  const { services, job, signal } = context;
  const { config, checked, pool, schema, spool } = services;
  const stored = await openContent(message, context);
  const client = await context.connect();
  const history = new History(client, schema, { user: job.user, visitor: NO_VISITOR });
  const deletions: Change[] = [];
  const noted = new History(client, schema, { user: job.user, visitor: NO_VISITOR }, (change) =>
    noteDeletions(deletions, change),
  );
  const creation =
    parameters.create === true
      ? await createCollection(
          { message, file: stored, sender: await senderOf(message, context) },
          context,
        )
      : { created: null };
  if (creation.trial !== undefined) {
    await completeJob(client, schema, job, creation.trial);
    return creation.trial;
  }
  const { created } = creation;
  // The table may be new or altered since; the import uses its current state.
  const current = await checked.with(client, collection);
  const sender = await senderOf(message, context);
  let reached: JobProgress | null = null;
  const { fields } = importDestination(sender.rights, current, collection);
  return await importFile({
    client,
    catalog: current,
    collection,
    job: job.id,
    ...(fields === null ? {} : { fields: new Set(fields) }),
    sender,
    file: stored,
    expansion: { bytes: config.IMPORT_MAX_EXPANDED_SIZE, ratio: config.IMPORT_MAX_EXPANSION },
    parameters: withFormats(parameters, created?.formats),
    keep: parameters.undo === true ? { job: job.id, holder: job.holder, schema } : null,
    deletions: { history: noted, listeners: config.WEBSOCKETS_ENABLED ? schema : null },
    signal,
    interrupt: async (backend) => {
      await pool.query('SELECT pg_cancel_backend($1)', [backend]);
    },
    analyze: async (script) => {
      try {
        await withConnection(pool, (other) => other.query(script));
      } catch (error) {
        context.log.warn({ err: error, collection }, 'could not analyze the table of an import');
      }
    },
    progress(progress) {
      rowsRead.value += Math.max(0, progress.rows - (reached?.rows ?? 0));
      bytesRead.value += Math.max(0, progress.bytes - (reached?.bytes ?? 0));
      const { phase, phases } = reached ?? {};
      reached = { ...progress, ...(phase !== undefined && { phase, phases }) };
      context.progress(reached);
    },
    phase(phase) {
      const { phases = [], ...last } = reached ?? { rows: 0, bytes: 0, percent: null };
      if (last.phase === phase) return;
      const begun = { name: phase, on: new Date().toISOString() };
      // A file that is read again, because its values were not as expected, has a phase twice.
      const others = phases.slice(0, MOST_PHASES - 1);
      reached = { ...last, phase, phases: [...others, begun] };
      context.progress(reached);
    },
    failpoint: (name) => context.failpoint(name),
    errorLimit: config.MAX_IMPORT_ERRORS,
    report: async (content) => {
      await spool.write(job.id, content, undefined);
    },
    rejectedFile: async (content) => {
      await spool.write(rejectedFileId(job.id), content, undefined);
    },
    complete: async (result, written) => {
      const parts = { progress: reached };
      const named = message.profile === undefined ? {} : { profile: message.profile };
      const again = result.failed === 0 ? {} : { options: importOptions(parameters) };
      if (result.dry_run === true) {
        return await completeJob(client, schema, job, { ...result, ...named, ...again }, parts);
      }
      await recordObject(message, client, context);
      const entry = { key: [job.id], delta: {}, parent: null };
      for (const name of written) {
        const target = current.collections.get(name);
        if (target !== undefined) await history.record(target, 'import', [entry]);
      }
      const more = created === null ? {} : { schema_job: created.job, fields: created.fields };
      const members = sameFileAs(schema, job);
      const told = { ...result, ...named, ...more, ...again };
      await completeJob(client, schema, job, told, { ...parts, members });
      await announce(written, deletions);
    },
  });
}

export const importActor: Actor<typeof importMessage> = {
  name: IMPORT_JOB,
  queue: 'transfer',
  message: importMessage,
  version: 7,
  effect: 'transactional',
  reusesSession: true,
  deadline: ({ config }) => config.IMPORT_TIMEOUT,
  mailbox: ({ collection }) => `${IMPORT_JOB}:${collection}`,

  async receive(message, context) {
    const { services, job } = context;
    const announced: AnnouncedChanges[] = [];
    const announce = async (written: ReadonlySet<string>, deletions: readonly Change[]) => {
      const changes = [...written].map(
        (collection): Change => ({ collection, action: 'import', keys: null, user: job.user }),
      );
      announced.push(await services.transactions.announce([...changes, ...deletions]));
    };
    try {
      const result = await importSpooled(message, context, announce);
      await context.failpoint('import.committed');
      await announced.pop()?.committed();
      await discardContent(message, context);
      return result;
    } catch (error) {
      await announced.pop()?.failed(error);
      // Another attempt may read undamaged bytes.
      if (!(error instanceof DamagedFile)) throw error;
      throw new RetryableError(error, error);
    }
  },
};
