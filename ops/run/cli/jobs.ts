/** The commands for jobs and their queues. */

import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';
import { type Command, type CommandArguments, type Context, URL_OPTION } from './command.ts';

const DONE = 0;

const JSON_OPTION = { name: 'json', meaning: 'print the answer as JSON' } as const;

const job = v.looseObject({
  id: v.string(),
  kind: v.string(),
  state: v.string(),
  collection: v.nullable(v.string()),
  file_name: v.nullable(v.string()),
  created_on: v.string(),
  attempts: v.number(),
});
const jobs = v.object({ data: v.array(job) });
const one = v.object({ data: v.looseObject({}) });

/** Removes control characters, so that no name can control the terminal. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/[\p{Cc}\p{Cf}]/gu, '\u{FFFD}');
}

/** One line for each member of a job or a queue. */
function lines(value: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(value).filter(([, member]) => member !== null);
  return set.map(([name, member]) => `${name.padEnd(13)}${shown(member)}`).join('\n');
}

function print(line: CommandArguments, answer: unknown): void {
  const { data } = v.parse(one, answer);
  console.log(line.has('json') ? JSON.stringify(data) : lines(data));
}

async function list(line: CommandArguments, { open }: Context): Promise<number> {
  const query = new URLSearchParams({ limit: line.value('limit') ?? '20' });
  const state = line.value('state');
  if (state !== null) query.set('filter', JSON.stringify({ state }));
  for (const name of ['search', 'after'] as const) {
    const value = line.value(name);
    if (value !== null) query.set(name, value);
  }
  const api = await open(line.value('url'));
  const { data } = v.parse(jobs, await api.get(`/jobs?${query}`));
  if (line.has('json')) {
    console.log(JSON.stringify(data));
    return DONE;
  }
  for (const { id, kind, state, collection, file_name, created_on, attempts } of data) {
    const what = [collection, file_name].filter((text) => text !== null).map(shown);
    const columns = [id, created_on, state.padEnd(9), shown(kind).padEnd(8), attempts, ...what];
    console.log(columns.join('  '));
  }
  return DONE;
}

/** Sends a request for the given job or queue, and prints the response. */
function request(method: 'GET' | 'POST', path: (argument: string) => string): Command['run'] {
  return async (line, { open }) => {
    const api = await open(line.value('url'));
    const response = await api.request(path(encodeURIComponent(line.file ?? '')), { method });
    print(line, await response.json());
    return DONE;
  };
}

const cancel: Command['run'] = async (line, { open }) => {
  const api = await open(line.value('url'));
  await api.request(`/jobs/${encodeURIComponent(line.file ?? '')}`, { method: 'DELETE' });
  if (!line.has('json')) console.log('Cancelled.');
  return DONE;
};

function about(argument: string, word: string, meaning: string, run: Command['run']): Command {
  const options = [JSON_OPTION, URL_OPTION];
  return { words: ['jobs', word], file: 'required', argument, meaning, options, run };
}

/** Undoes an import, or reports what that would do. */
const undo: Command['run'] = async (line, { open }) => {
  const api = await open(line.value('url'));
  const query = line.has('dry-run') ? '?dryRun' : '';
  const path = `/jobs/${encodeURIComponent(line.file ?? '')}/undo${query}`;
  const response = await api.request(path, { method: 'POST' });
  if (response.status !== 202) {
    print(line, await response.json());
    return DONE;
  }
  const location = response.headers.get('location') ?? '';
  console.log(`The undo takes longer; its job is ${location.split('/').at(-1)}.`);
  return DONE;
};

/** Sets how many jobs of a queue each worker does at once. */
const concurrency: Command['run'] = async (line, { open }) => {
  const api = await open(line.value('url'));
  const wanted = line.value('jobs');
  if (wanted !== null && !/^\d{1,3}$/.test(wanted)) {
    throw new SetupError(`--jobs takes a whole number, not “${wanted}”.`);
  }
  const body = JSON.stringify({ concurrency: wanted === null ? null : Number(wanted) });
  const path = `/queues/${encodeURIComponent(line.file ?? '')}`;
  const headers = { 'content-type': 'application/json' };
  print(line, await (await api.request(path, { method: 'PATCH', body, headers })).json());
  return DONE;
};

const QUEUES = 'QUEUE is transfer (imports and exports), schema, images or maintenance.';

export const JOB_COMMANDS: readonly Command[] = [
  {
    words: ['jobs', 'list'],
    file: 'none',
    meaning: 'List jobs, the latest first.',
    options: [
      { name: 'state', value: 'STATE', meaning: 'waiting, running, completed, failed, cancelled' },
      { name: 'search', value: 'TEXT', meaning: 'the beginning of file name, collection or id' },
      { name: 'limit', value: 'N', meaning: 'how many; by default 20' },
      { name: 'after', value: 'ID', meaning: 'begin after this job' },
      JSON_OPTION,
      URL_OPTION,
    ],
    run: list,
  },
  about(
    'ID',
    'show',
    'Show a job.',
    request('GET', (id) => `/jobs/${id}`),
  ),
  about('ID', 'cancel', 'Cancel a job.', cancel),
  about(
    'ID',
    'retry',
    'Repeat a job that failed or was cancelled.',
    request('POST', (id) => `/jobs/${id}/retry`),
  ),
  about(
    'ID',
    'first',
    'Move a waiting job before all others of its queue.',
    request('POST', (id) => `/jobs/${id}/first`),
  ),
  {
    words: ['jobs', 'undo'],
    file: 'required',
    argument: 'ID',
    meaning: 'Undo an import that kept what it changed (undo=true).',
    options: [
      { name: 'dry-run', meaning: 'only report what would be undone' },
      JSON_OPTION,
      URL_OPTION,
    ],
    run: undo,
  },
  {
    words: ['jobs', 'concurrency'],
    file: 'required',
    argument: 'QUEUE',
    meaning: `Set how many jobs of a queue each worker does at once.\n${QUEUES}`,
    options: [
      { name: 'jobs', value: 'N', meaning: 'from 1 to 100; by default as configured' },
      JSON_OPTION,
      URL_OPTION,
    ],
    run: concurrency,
  },
  about(
    'QUEUE',
    'pause',
    `Begin no more jobs of a queue.\n${QUEUES}`,
    request('POST', (queue) => `/queues/${queue}/pause`),
  ),
  about(
    'QUEUE',
    'resume',
    `Accept and do the jobs of a queue again.\n${QUEUES}`,
    request('POST', (queue) => `/queues/${queue}/resume`),
  ),
  about(
    'QUEUE',
    'drain',
    `Accept no more jobs of a queue, and do those that wait.\n${QUEUES}`,
    request('POST', (queue) => `/queues/${queue}/drain`),
  ),
];
