/** Undoes imports: the rows, the result and the report commit together. */
import { jobCaller } from '#core/access/job-caller.ts';
import {
  UNDO_IMPORT_JOB,
  type UndoImportMessage,
  type UndoImportResult,
  undoImportMailbox,
  undoImportMessage,
} from '#core/jobs/message/undo-import.ts';
import { completeJob, storeRejected } from '#core/jobs/write-job-status.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import type { RowFault } from '#core/transfer/file/row-fault.ts';
import { undoImport } from '#core/transfer/undo-import.ts';
import type { Change } from '#core/write/changes/change.ts';
import type { AnnouncedChanges } from '#core/write/changes/write-transactions.ts';
import { History, NO_VISITOR } from '#core/write/history/history.ts';
import type { Actor, ActorContext } from '#workers/runtime/actor.ts';

/** The most rows that a report names. */
const NAMED_MAX = 10_000;

/** A row that stays, as the report stores it. */
function reported({ row, field, value, code, reason }: RowFault) {
  const { sentence, parameters } = reason;
  const known = Object.keys(parameters).length === 0 ? null : parameters;
  return {
    row,
    field,
    value,
    code,
    reason: sentence,
    reason_code: reason.code,
    reason_parameters: known,
  };
}

/** The changes that subscribers and caches hear of. */
function changesOf(collection: string, user: string | null, result: UndoImportResult): Change[] {
  const restored: Change = { collection, action: 'import', keys: null, user };
  const removed: Change = { collection, action: 'delete', keys: null, user };
  return [...(result.restored > 0 ? [restored] : []), ...(result.removed > 0 ? [removed] : [])];
}

/** Undoes the import; calls `announce` after all rows are written, before the commit. */
async function undo(
  message: UndoImportMessage,
  context: ActorContext,
  announce: (changes: readonly Change[]) => Promise<void>,
): Promise<UndoImportResult> {
  const { services, job, signal } = context;
  const { checked, config, pool, schema, access } = services;
  const client = await context.connect();
  const catalog = await checked.with(client, message.collection);
  const caller = await jobCaller(services, job.user, message.ip);
  const rights = await access.rightsOf(caller);
  const history = new History(client, schema, { user: job.user, visitor: NO_VISITOR });
  return await undoImport({
    ...{ client, catalog, schema, signal, job: job.id, import: message.import },
    sender: { caller, rights, bounds: queryBounds(config) },
    dryRun: message.dryRun,
    interrupt: async (backend) => {
      await pool.query('SELECT pg_cancel_backend($1)', [backend]);
    },
    failpoint: (name) => context.failpoint(name),
    namedMax: NAMED_MAX,
    complete: async (result, faults) => {
      const target = catalog.collections.get(message.collection);
      if (!message.dryRun && target !== undefined) {
        await history.record(target, 'undo', [{ key: [job.id], delta: {}, parent: null }]);
      }
      await storeRejected(client, schema, job.id, faults.map(reported));
      const rows = result.removed + result.restored + result.kept;
      const progress = { rows, bytes: 0, percent: 100 };
      await completeJob(client, schema, job, result, { progress });
      if (!message.dryRun) await announce(changesOf(message.collection, job.user, result));
    },
  });
}

export const undoImportActor: Actor<typeof undoImportMessage> = {
  name: UNDO_IMPORT_JOB,
  queue: 'transfer',
  message: undoImportMessage,
  version: 1,
  effect: 'transactional',
  reusesSession: true,
  deadline: ({ config }) => config.IMPORT_TIMEOUT,
  mailbox: ({ collection }) => undoImportMailbox(collection),

  async receive(message, context) {
    const announced: AnnouncedChanges[] = [];
    try {
      const result = await undo(message, context, async (changes) => {
        announced.push(await context.services.transactions.announce(changes));
      });
      await context.failpoint('undo.committed');
      await announced.pop()?.committed();
      return result;
    } catch (error) {
      await announced.pop()?.failed(error);
      throw error;
    }
  },
};
