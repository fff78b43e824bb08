/** Builds the indexes that schema changes have deferred. */
import { INDEX_JOB, INDEX_MAILBOX, indexMessage } from '#core/jobs/message/index-build.ts';
import { buildIndex } from '#core/schema/build-index.ts';
import type { Actor } from '#workers/runtime/actor.ts';

const DEADLINE_MS = 24 * 3_600_000;

export const indexActor: Actor<typeof indexMessage> = {
  name: INDEX_JOB,
  queue: 'schema',
  message: indexMessage,
  version: 1,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: () => INDEX_MAILBOX,

  async receive(message, context) {
    const client = await context.connect();
    const { version: _, ...build } = message;
    const outcome = await buildIndex(client, build, context.signal);
    // The field includes its index as soon as the job has ended.
    await context.services.catalog.refresh();
    return { outcome };
  },
};
