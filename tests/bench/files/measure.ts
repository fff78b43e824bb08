/**
 * Measures files: large ones up and down against a handler written by hand, thumbnails against the
 * library alone, and how many small ones are stored.
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { freePort } from '#ops/run/embedded/postgres.ts';
import type { Environment } from '../environment.ts';
import { isAsked } from '../options.ts';
import { growthDuring, MIB, startProcess } from '../process.ts';
import { amount, comparison, type Duel, type Row } from '../result-row.ts';
import type { FileBaseline } from './baseline.ts';
import { thumbnailsAlone, writePhoto } from './sharp-alone.ts';
import { receiveFile, sendFile } from './transfer.ts';

const TRANSFER_GOAL = 0.7;
const THUMBNAIL_GOAL = 0.8;
const EDGE_BELOW_MIB = 32;
/** Thumbnails of one run, and requests at a time. */
const THUMBNAILS = 60;
const AT_ONCE = 8;
const SMALL_BYTES = 4_096;

const stored = v.object({ data: v.object({ id: v.string() }) });

interface Field {
  readonly environment: Environment;
  readonly baseline: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function startBaseline(environment: Environment): Promise<string> {
  const folder = join(environment.options.folder, 'baseline');
  mkdirSync(folder, { recursive: true });
  const given: FileBaseline = { port: await freePort(), folder };
  const env = { BASELINE: JSON.stringify(given) };
  const running = await startProcess({ script: 'tests/bench/files/baseline.ts', env });
  environment.onClose(async () => {
    await running.stop();
    await rm(folder, { recursive: true, force: true });
  });
  return `http://127.0.0.1:${given.port}`;
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1_000;
}

/** Stores a file as a browser does. @returns its key */
async function store({ environment, headers }: Field, bytes: number): Promise<string> {
  const boundary = 'the-boundary-of-the-bench';
  const text = await sendFile(`${environment.url}/files`, {
    ...{ method: 'POST', bytes, tail: `\r\n--${boundary}--\r\n` },
    headers: { ...headers, 'Content-Type': `multipart/form-data; boundary=${boundary}` },
    head: `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`,
  });
  return v.parse(stored, JSON.parse(text)).data.id;
}

async function discard({ environment, headers }: Field, keys: readonly string[]): Promise<void> {
  const body = JSON.stringify(keys);
  const type = { 'Content-Type': 'application/json' };
  const sent = { method: 'DELETE', headers: { ...headers, ...type }, body };
  const { status } = await fetch(`${environment.url}/files`, sent);
  assert.equal(status, 204);
}

/** Large files in both directions. */
async function transfers(field: Field): Promise<Row[]> {
  const { environment, baseline, headers } = field;
  const { options, say, stop, edge, url } = environment;
  const bytes = Math.round(1024 * options.scale) * MIB;
  say(`files: ${bytes / MIB} MiB up and down`);
  const up = { sluice: [] as number[], hashed: [] as number[], plain: [] as number[] };
  const down = { sluice: [] as number[], baseline: [] as number[] };
  const growth = { up: [] as number[], down: [] as number[] };
  for (let round = 0; round <= options.rounds; round += 1) {
    stop.throwIfAborted();
    let key = '';
    const ownUp = async () => {
      key = await store(field, bytes);
    };
    const baselineUp = (name: string) =>
      sendFile(`${baseline}/${name}`, { method: 'PUT', headers: {}, bytes });
    const rate = async (work: () => Promise<unknown>) => bytes / MIB / (await seconds(work));
    let sent = 0;
    const received = { own: 0, plain: 0 };
    const grownUp = await growthDuring(edge.pid, async () => {
      sent = await rate(ownUp);
    });
    const grownDown = await growthDuring(edge.pid, async () => {
      received.own = await rate(() => receiveFile(`${url}/assets/${key}`, headers));
    });
    growth.up.push(grownUp / MIB);
    growth.down.push(grownDown / MIB);
    const hashed = await rate(() => baselineUp('hashed'));
    const plain = await rate(() => baselineUp('large'));
    received.plain = await rate(() => receiveFile(`${baseline}/large`, {}));
    await discard(field, [key]);
    if (round === 0) continue;
    up.sluice.push(sent);
    up.hashed.push(hashed);
    up.plain.push(plain);
    down.sluice.push(received.own);
    down.baseline.push(received.plain);
  }
  const row = (id: string, title: string, duel: Duel, goal: number | null = TRANSFER_GOAL) =>
    comparison({ id: `files/${id}`, title, unit: 'MiB/s' }, duel, goal);
  const { sluice, hashed, plain } = up;
  const memory = (id: 'up' | 'down') =>
    amount(
      { id: `files/memory-${id}`, title: `growth of the edge, ${id}`, unit: 'MiB' },
      Math.max(...growth[id]),
      EDGE_BELOW_MIB,
      { growth: growth[id] },
    );
  return [
    row('up', `${bytes / MIB} MiB up, both with SHA-256`, { sluice, baseline: hashed }),
    row(
      'up-unhashed',
      `${bytes / MIB} MiB up, the baseline without a hash`,
      { sluice, baseline: plain },
      null,
    ),
    row('down', `${bytes / MIB} MiB down`, down),
    memory('up'),
    memory('down'),
  ];
}

/** Works on entries, some at a time. */
async function inParallel<T>(
  entries: readonly T[],
  work: (entry: T) => Promise<unknown>,
): Promise<void> {
  const left = [...entries];
  const one = async () => {
    for (let entry = left.pop(); entry !== undefined; entry = left.pop()) await work(entry);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

/** Thumbnails of a photo, each of another width. */
async function thumbnails(field: Field): Promise<Row> {
  const { environment, headers } = field;
  const { options, say, url } = environment;
  say(`files: ${THUMBNAILS} thumbnails of a photo of 12 megapixels`);
  const photo = join(options.folder, 'photo.jpg');
  await writePhoto(photo);
  const form = new FormData();
  form.append('file', new File([await readFile(photo)], 'photo.jpg', { type: 'image/jpeg' }));
  const answer = await fetch(`${url}/files`, { method: 'POST', headers, body: form });
  const { id } = v.parse(stored, await answer.json()).data;
  const duel = { sluice: [] as number[], baseline: [] as number[] };
  for (let round = 0; round <= options.rounds; round += 1) {
    const widths = Array.from({ length: THUMBNAILS }, (_, n) => 700 + round * THUMBNAILS + n);
    const took = await seconds(() =>
      inParallel(widths, (width) => receiveFile(`${url}/assets/${id}?width=${width}`, headers)),
    );
    const alone = await thumbnailsAlone(photo, widths);
    if (round === 0) continue;
    duel.sluice.push(THUMBNAILS / took);
    duel.baseline.push(alone);
  }
  const title = 'thumbnails of a photo';
  return comparison({ id: 'files/thumbnails', title, unit: 'requests/s' }, duel, THUMBNAIL_GOAL);
}

/** Small files, each in a request of its own. */
async function smallFiles(field: Field): Promise<Row> {
  const { environment, baseline } = field;
  const { options, say } = environment;
  say('files: small ones');
  const duel = { sluice: [] as number[], baseline: [] as number[] };
  for (let round = 0; round <= options.rounds; round += 1) {
    const keys: string[] = [];
    const names = Array.from({ length: Math.ceil(200 * options.seconds) }, (_, n) => `small-${n}`);
    const took = await seconds(() =>
      inParallel(names, async () => keys.push(await store(field, SMALL_BYTES))),
    );
    const sent = { method: 'PUT', headers: {}, bytes: SMALL_BYTES } as const;
    const plain = await seconds(() =>
      inParallel(names, (name) => sendFile(`${baseline}/${name}`, sent)),
    );
    await discard(field, keys);
    if (round === 0) continue;
    duel.sluice.push(names.length / took);
    duel.baseline.push(names.length / plain);
  }
  const title = 'files of 4 KiB stored, with their rows and history';
  return comparison({ id: 'files/small', title, unit: 'requests/s' }, duel, null);
}

/** Measures files. */
export async function measureFiles(environment: Environment): Promise<Row[]> {
  const baseline = await startBaseline(environment);
  const headers = { Authorization: `Bearer ${environment.token}` };
  const field = { environment, baseline, headers };
  const rows: Row[] = [];
  const asked = (id: string) => isAsked(environment.options, { id: `files/${id}` });
  if (asked('small')) rows.push(await smallFiles(field));
  if (asked('thumbnails')) rows.push(await thumbnails(field));
  if (asked('transfers')) rows.push(...(await transfers(field)));
  return rows;
}
