/** Removes what nobody needs any more: old finished jobs, and uploads that no open job refers to. */
import * as v from 'valibot';
import { TIDY_JOB, tidyMessage } from '#core/jobs/message/tidy.ts';
import type { Actor, ActorContext } from '#workers/runtime/actor.ts';
import type { Services } from '#workers/services.ts';

const DEADLINE_MS = 600_000;
/** An upload has no job yet while it comes in, and none for a moment afterwards. */
const UPLOAD_GRACE_MS = 6 * 3_600_000;

/** A job whose message refers to an upload. */
const uploadJob = v.object({ message: v.object({ file: v.object({ id: v.string() }) }) });

/** Removes jobs that ended before JOBS_RETENTION, their rejected rows with them. */
async function removeJobs({ orm, config }: Services): Promise<number> {
  const before = new Date(Date.now() - config.JOBS_RETENTION);
  const old = { finished_on: { $lt: before } };
  return await orm.fork().nativeDelete(orm.entity('system_jobs'), old);
}

/** The uploads that jobs which have not ended refer to. */
async function uploadsInUse({ orm }: Services): Promise<ReadonlySet<string>> {
  const open = { state: { $in: ['waiting', 'running'] } };
  const jobs = await orm.fork().find(orm.entity('system_jobs'), open);
  const parsed = jobs.map((job) => v.safeParse(uploadJob, job));
  return new Set(parsed.flatMap((job) => (job.success ? [job.output.message.file.id] : [])));
}

async function removeUploads({ services, signal }: ActorContext): Promise<number> {
  const { spool } = services;
  const before = Date.now() - UPLOAD_GRACE_MS;
  const old = (await spool.list()).filter(({ modified }) => modified.getTime() < before);
  const used = await uploadsInUse(services);
  const unused = old.filter(({ id }) => !used.has(id));
  for (const { id } of unused) {
    signal.throwIfAborted();
    await spool.remove(id);
  }
  return unused.length;
}

export const tidyActor: Actor<typeof tidyMessage> = {
  name: TIDY_JOB,
  queue: 'maintenance',
  message: tidyMessage,
  effect: 'idempotent',
  deadline: () => DEADLINE_MS,
  mailbox: () => null,
  async receive(_, context) {
    return { jobs: await removeJobs(context.services), files: await removeUploads(context) };
  },
};
