/**
 * Changes the schema. The change commits together with its catalog and the result of the job. The
 * job itself ends when every edge has applied that catalog.
 */
import * as v from 'valibot';
import { INDEX_JOB, indexSubmission } from '#core/jobs/message/index-build.ts';
import { recordJob } from '#core/jobs/submit.ts';
import { recordedResult, recordResult } from '#core/jobs/write-job-status.ts';
import { announce } from '#core/model/catalog/publish-in-transaction.ts';
import { Members } from '#core/model/system/process-registry.ts';
import {
  SCHEMA_JOB,
  SCHEMA_MAILBOX,
  type SchemaMessage,
  type SchemaResult,
  schemaMessage,
  schemaResult,
} from '#core/schema/schema-job.ts';
import { alterSchema } from '#core/schema/schema-transaction.ts';
import { NO_VISITOR } from '#core/write/history/history.ts';
import type { Actor, ActorContext } from '#workers/runtime/actor.ts';

const DEADLINE_MS = 3_600_000;
/** Maximum wait for the edges. */
const KNOWN_WITHIN_MS = 30_000;

/** Makes the change, and queues jobs for the indexes that it defers. */
async function alter(
  { change, concurrently, force, visitor = NO_VISITOR }: SchemaMessage,
  context: ActorContext,
): Promise<SchemaResult> {
  const { services, job, signal, log } = context;
  const { config, schema, catalog, queues } = services;
  const current = await catalog.refresh();
  const client = await context.connect();
  const ordered: string[] = [];
  const version = await alterSchema(change, {
    ...{ client, catalog: current, concurrently, force, signal },
    author: { user: job.user, visitor },
    catalogSchemas: { schemas: [...new Set(config.DATABASE_SCHEMA)], system: schema },
    lockTimeout: config.SCHEMA_LOCK_TIMEOUT,
    order: async ({ collection, field, table, index, unique }) => {
      const tableName = { schema: table.schema, name: table.name };
      const submission = indexSubmission(
        { collection, field, table: tableName, index, unique },
        job.user,
      );
      ordered.push(await recordJob(client, schema, submission));
    },
    complete: async (version) => {
      await recordResult(client, schema, job, { version });
      await context.failpoint('schema.changed');
    },
  });
  for (const id of ordered) {
    // The reconciler adds jobs that the queue does not accept now.
    await queues
      .get('schema')
      .add(id, INDEX_JOB)
      .catch((error: unknown) =>
        log.warn(
          { err: error, job: id },
          'an index job could not be queued; the reconciler does it',
        ),
      );
  }
  return { version };
}

/** Resolves when every edge has applied the version and the revoked permissions. */
async function known({ version }: SchemaResult, context: ActorContext): Promise<void> {
  const { services, signal, log } = context;
  const { bus, catalog, pool, schema } = services;
  await announce(bus, log, version);
  const members = new Members(pool, schema);
  const { access, sessions } = await catalog.hear();
  const versions = { catalog: version, access, sessions };
  const lost = await members.acknowledged(versions, { signal, within: KNOWN_WITHIN_MS });
  if (lost.length > 0) log.warn({ version, lost }, 'edges did not apply the changed schema');
}

export const schemaActor: Actor<typeof schemaMessage> = {
  name: SCHEMA_JOB,
  queue: 'schema',
  message: schemaMessage,
  version: 3,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: () => SCHEMA_MAILBOX,

  async receive(message, context) {
    const { services, job } = context;
    const earlier = await recordedResult(services.pool, services.schema, job.id);
    const result = v.is(schemaResult, earlier) ? earlier : await alter(message, context);
    await context.failpoint('schema.committed');
    await known(result, context);
    return result;
  },
};
