/**
 * Imports a file through the public endpoint and follows its job with a progress bar, as any client
 * of the API would.
 */
import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import { Presets, SingleBar } from 'cli-progress';
import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';
import type { Api } from './api.ts';

/** Maximum number of a job's errors that are printed. */
const ERRORS_SHOWN = 5;

const count = v.number();

const job = v.object({
  id: v.string(),
  state: v.picklist(['waiting', 'running', 'completed', 'failed', 'cancelled']),
  progress: v.nullable(v.object({ rows: count, percent: v.nullable(count) })),
  result: v.nullable(v.object({ inserted: count, updated: count, unchanged: count })),
  error: v.nullable(v.array(v.object({ message: v.string(), extensions: v.unknown() }))),
});
type Job = v.InferOutput<typeof job>;

const errorPlace = v.object({ row: v.nullish(v.number()), field: v.nullish(v.string()) });
const accepted = v.object({ data: job });

/** Sends the file; the server responds as soon as it has received it. */
async function upload(api: Api, collection: string, file: string): Promise<Job> {
  const body = new FormData();
  body.set('file', await openAsBlob(file, { type: 'text/csv' }), basename(file));
  const response = await api.request(`/utils/import/${collection}`, {
    method: 'POST',
    headers: { Prefer: 'respond-async' },
    body,
  });
  return v.parse(accepted, await response.json()).data;
}

/** The job in each server-sent event (HTML Living Standard, 9.2). */
async function* eventsOf(api: Api, id: string): AsyncGenerator<Job> {
  const response = await api.request(`/jobs/${id}/events`);
  if (response.body === null) return;
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block.split('\n').filter((line) => line.startsWith('data:'));
      if (data.length === 0) continue;
      const json = data.map((line) => line.slice('data:'.length)).join('\n');
      yield v.parse(job, JSON.parse(json));
    }
  }
}

function isOpen({ state }: Job): boolean {
  return state === 'waiting' || state === 'running';
}

function outcome({ inserted, updated, unchanged }: NonNullable<Job['result']>): string {
  const parts: [number, string][] = [
    [inserted, 'inserted'],
    [updated, 'updated'],
    [unchanged, 'unchanged'],
  ];
  const said = parts.filter(([number]) => number > 0);
  const text = said.map(([number, verb]) => `${number.toLocaleString('en')} ${verb}`).join(', ');
  return text === '' ? 'no rows' : text;
}

function complaint(file: string, { state, error }: Job): string {
  const lines = (error ?? []).slice(0, ERRORS_SHOWN).map(({ message, extensions }) => {
    const { row, field } = v.is(errorPlace, extensions) ? extensions : {};
    const place = [row == null ? [] : `row ${row}`, field == null ? [] : `field ${field}`].flat();
    return `\n  ${place.length === 0 ? '' : `${place.join(', ')}: `}${message}`;
  });
  return `The import of ${basename(file)} ended as ${state}${lines.join('')}`;
}

function openBar(file: string): SingleBar {
  return new SingleBar(
    {
      format: `  ${basename(file).padEnd(20)} {bar} {percentage} %  {state}`,
      barsize: 24,
      hideCursor: true,
      stopOnComplete: false,
    },
    Presets.shades_classic,
  );
}

/**
 * Imports a CSV file into a collection.
 * @param print prints the final line when the output is not a terminal
 * @throws {SetupError} with the server's report when it refuses the file
 */
export async function importFile(
  api: Api,
  collection: string,
  file: string,
  print: (line: string) => void,
): Promise<void> {
  const bar = openBar(file);
  bar.start(100, 0, { state: 'sending' });
  try {
    let current = await upload(api, collection, file);
    while (isOpen(current)) {
      // The stream ends early when its edge ends; the job continues.
      for await (const latest of eventsOf(api, current.id)) {
        current = latest;
        bar.update(current.progress?.percent ?? 0, { state: current.state });
      }
    }
    if (current.result === null) throw new SetupError(complaint(file, current));
    bar.update(100, { state: outcome(current.result) });
    if (!process.stderr.isTTY) print(`  ${basename(file)}: ${outcome(current.result)}`);
  } finally {
    bar.stop();
  }
}
