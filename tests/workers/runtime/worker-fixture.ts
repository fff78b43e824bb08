/** A worker process with the actors of the tests instead of the real ones. */
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import { loadConfig } from '#core/base/config/config.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import { createLog } from '#core/base/log/log.ts';
import { completeJob } from '#core/jobs/write-job-status.ts';
import type { Actor, ActorContext } from '#workers/runtime/actor.ts';
import { runWorker } from '#workers/worker.ts';

const message = v.strictObject({
  version: v.literal(1),
  mailbox: v.nullable(v.string()),
  /** Works until the gate of this name is open. */
  gate: v.optional(v.string()),
  /** Does not heed its signal while it waits for the gate. */
  deaf: v.optional(v.boolean()),
  /** Fails in every attempt before this one. */
  succeedsAt: v.optional(v.number()),
  /** Ends its own session in every attempt before this one. */
  survivesAt: v.optional(v.number()),
  /** Refuses its work, as if these rows of a file were bad. */
  badRows: v.optional(v.array(v.number())),
  /** An upload that nobody reads. */
  file: v.optional(v.object({ id: v.string() })),
});
type Message = v.InferOutput<typeof message>;

async function record({ job, services }: ActorContext, what: string): Promise<void> {
  await services.pool.query('INSERT INTO trace (job, attempt, pid, what) VALUES ($1, $2, $3, $4)', [
    job.id,
    job.attempt,
    process.pid,
    what,
  ]);
}

async function passGate({ gate, deaf }: Message, context: ActorContext): Promise<void> {
  if (gate === undefined) return;
  const { signal, services } = context;
  for (;;) {
    if (deaf !== true) signal.throwIfAborted();
    const { rowCount } = await services.pool.query('SELECT FROM gate WHERE name = $1', [gate]);
    if (rowCount === 1) return;
    await delay(20, null, deaf === true ? {} : { signal });
  }
}

function script(name: string, deadline: number): Actor<typeof message> {
  return {
    name,
    queue: 'transfer',
    message,
    version: 1,
    effect: 'idempotent',
    deadline: () => deadline,
    mailbox: ({ mailbox }) => mailbox,
    async receive(wanted, context) {
      const { version: catalog } = context.services.catalog.current();
      await record(context, 'begin');
      context.progress({ rows: 1, bytes: 10, percent: 50 });
      await passGate(wanted, context);
      if (context.job.attempt < (wanted.succeedsAt ?? 0)) throw new Error('a secret detail');
      const [first, ...others] = (wanted.badRows ?? []).map((row) => {
        const told = reason('too_many_characters', { limit: 1 });
        return new ServiceError('VALUE_TOO_LONG', { row, field: 'f', value: 'v', reason: told });
      });
      if (first !== undefined) throw new ServiceErrors([first, ...others]);
      await record(context, 'end');
      return { attempt: context.job.attempt, catalog };
    },
  };
}

const commit: Actor<typeof message> = {
  name: 'commit',
  queue: 'transfer',
  message,
  version: 1,
  effect: 'transactional',
  deadline: () => 60_000,
  mailbox: ({ mailbox }) => mailbox,
  async receive(wanted, context) {
    const { job, services } = context;
    await record(context, 'begin');
    const client = await context.connect();
    await client.query('BEGIN');
    await client.query('INSERT INTO work (job) VALUES ($1)', [job.id]);
    await passGate(wanted, context);
    if (context.job.attempt < (wanted.succeedsAt ?? 0)) throw new Error('a secret detail');
    if (context.job.attempt < (wanted.survivesAt ?? 0)) {
      await client.query('SELECT pg_terminate_backend(pg_backend_pid())');
    }
    await completeJob(client, services.schema, job, { attempt: job.attempt });
    await context.failpoint('before commit');
    await client.query('COMMIT');
    await context.failpoint('after commit');
  },
};

/** Claims to be transactional, but leaves its job as it was. */
const careless: Actor<typeof message> = {
  ...script('careless', 60_000),
  effect: 'transactional',
};

const config = loadConfig();
const url = config.DATABASE_URL;
if (url === undefined) throw new Error('DATABASE_URL is not set');
await runWorker(config, url, createLog(config, 'worker'), [
  script('script', 60_000),
  script('brief', 300),
  commit,
  careless,
  // Those of its queue are administrators' alone.
  { ...script('alter', 60_000), queue: 'schema' },
]);
