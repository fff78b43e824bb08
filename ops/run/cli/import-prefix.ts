/** The command that imports the new objects of a location. */
import * as v from 'valibot';
import type { Api } from '#ops/run/demo/api.ts';
import { COUNTS, DONE, fault, faultText, followed, jsonRequest, REJECTED } from './follow-job.ts';

const prefixAnswer = v.object({
  data: v.object({
    jobs: v.array(v.object({ key: v.string(), job: v.string() })),
    skipped: v.object({ imported: v.number(), running: v.number() }),
    refused: v.array(v.object({ key: v.string(), error: fault })),
    next: v.nullable(v.string()),
  }),
});

/** Imports the new objects of a location, and waits for their jobs. @returns the exit code */
export async function importPrefix(
  api: Api,
  path: string,
  source: { readonly location: string; readonly prefix: string },
  signal: AbortSignal,
): Promise<number> {
  let code = DONE;
  for (let after: string | null = null; ; ) {
    const body = after === null ? source : { ...source, after };
    const response = await api.request(path, jsonRequest(body));
    const { data } = v.parse(prefixAnswer, await response.json());
    for (const { key, error } of data.refused) console.error(`${key}: ${faultText(error)}`);
    if (data.refused.length > 0) code = REJECTED;
    for (const { key, job } of data.jobs) {
      const { state, result, error } = await followed(api, job, signal);
      for (const one of error ?? []) console.error(`${key}: ${faultText(one)}`);
      if (state !== 'completed' || Number(result?.failed ?? 0) > 0) code = REJECTED;
      const counts = COUNTS.map((name) => `${name} ${result?.[name] ?? 0}`).join(', ');
      console.log(`${key}: ${state === 'completed' ? counts : state}`);
    }
    const { imported, running } = data.skipped;
    console.log(`${data.jobs.length} jobs, ${imported} imported before, ${running} running`);
    if (data.next === null) return code;
    after = data.next;
  }
}
