/**
 * A rolling upgrade under load: the release before, which CHANGELOG.md names, serves a database; this
 * release starts beside it and migrates; then the older one is stopped. A client that repeats requests
 * which nobody received, and idempotent ones, sees no failure; what was confirmed is there once; all
 * jobs end.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';
import { freePort } from '#tests/harness/port.ts';
import { until } from '#tests/harness/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const TOKEN = 'a-token-for-two-releases';
const CLIENTS = 6;
/** Requests of each kind that are answered in every phase. */
const ANSWERS = 300;
const IMPORT_ROWS = 2_000;

/** The commit of the latest release in the changelog. */
function latestRelease(): string {
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [, commit] = /^Commit `([0-9a-f]{40})`/m.exec(changelog) ?? [];
  if (commit === undefined) throw new Error('CHANGELOG.md names no commit of a release');
  return commit;
}

/** The sources of a release with its dependencies, in a folder of their own. */
function checkOut(t: Teardown, commit: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const archive = execFileSync('git', ['archive', commit], { cwd: ROOT, maxBuffer: 1 << 28 });
  execFileSync('tar', ['x', '-C', folder], { input: archive });
  const options = ['--omit=dev', '--omit=optional', '--prefer-offline', '--no-audit', '--no-fund'];
  execFileSync('npm', ['ci', ...options], { cwd: folder, stdio: 'ignore' });
  return folder;
}

interface Release {
  readonly url: string;
  /** Ends it as an operator would. */
  stop(): Promise<void>;
}

/** Starts the supervisor of a release and waits until it is ready. */
async function startRelease(
  t: Teardown,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<Release> {
  const port = await freePort();
  const { PATH = '', HOME = '/' } = process.env;
  const child = spawn(process.execPath, ['ops/start.ts'], {
    cwd: folder,
    env: { PATH, HOME, PORT: String(port), LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const keep = (chunk: Buffer) => {
    output += chunk.toString();
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = once(child, 'close');
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
  };
  t.teardown(stop);
  const isReady = () => output.includes('Ctrl-C stops it');
  await until(() => isReady() || child.exitCode !== null, 'the release is ready', 60_000);
  if (!isReady()) throw new Error(`${folder} ended:\n${output}`);
  return { url: `http://127.0.0.1:${port}`, stop };
}

const UNSENT = new Set(['ECONNREFUSED']);

/** Why a request did not reach anybody; null when that is not known. */
function unsent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : null;
  return cause instanceof Error && 'code' in cause && UNSENT.has(String(cause.code));
}

/** What clients did and saw. */
class Load {
  /** Those that a balancer would send requests to. */
  targets: readonly string[] = [];
  readonly failures: string[] = [];
  readonly created: string[] = [];
  /** Creates of which nobody knows whether they happened. */
  readonly unknown: string[] = [];
  readonly jobs: string[] = [];
  answers = 0;
  #goesOn = true;
  #next = 0;
  readonly #clients: Promise<void>[];

  constructor() {
    this.#clients = Array.from({ length: CLIENTS }, (_, number) => this.#client(number));
  }

  async stop(): Promise<void> {
    this.#goesOn = false;
    await Promise.all(this.#clients);
  }

  /** Resolves when so many more requests were answered, and an import was accepted. */
  async goOn(): Promise<void> {
    const [answers, jobs] = [this.answers + ANSWERS, this.jobs.length];
    await until(() => this.answers >= answers && this.jobs.length > jobs, 'answers', 120_000);
  }

  #target(): string {
    this.#next += 1;
    return this.targets[this.#next % this.targets.length] ?? '';
  }

  /** A request that is sent once more when nobody received it, or when it is idempotent. */
  async #ask(path: string, init: RequestInit, isIdempotent: boolean): Promise<Response | null> {
    for (let attempt = 0; attempt < 50; attempt += 1) {
      try {
        const headers = { authorization: `Bearer ${TOKEN}`, ...init.headers };
        const response = await fetch(this.#target() + path, { ...init, headers });
        // A 503 says that nothing was done.
        if (response.status !== 503) return response;
        await response.arrayBuffer();
      } catch (error) {
        if (!isIdempotent && !unsent(error)) return null;
      }
      await delay(100);
    }
    this.failures.push(`${init.method ?? 'GET'} ${path}: no answer`);
    return null;
  }

  async #expect(response: Response | null, what: string): Promise<unknown> {
    if (response === null) return null;
    const text = await response.text();
    if (response.ok) this.answers += 1;
    else this.failures.push(`${what}: ${response.status} ${text.slice(0, 300)}`);
    return response.ok && text !== '' ? JSON.parse(text) : null;
  }

  async #client(number: number): Promise<void> {
    while (this.targets.length === 0) await delay(10);
    for (let turn = 0; this.#goesOn; turn += 1) {
      const name = `${number}-${turn}`;
      const list = '/items/articles?limit=5&fields=id,title,author.name&sort=-id';
      await this.#expect(await this.#ask(list, {}, true), 'list');
      const create = {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title: name, author: 1 }),
      };
      const created = await this.#ask('/items/articles', create, false);
      if (created === null) this.unknown.push(name);
      else if (created.ok) this.created.push(name);
      await this.#expect(created, 'create');
      if (number === 0 && turn % 20 === 0) await this.#import(name);
    }
  }

  async #import(name: string): Promise<void> {
    const rows = Array.from({ length: IMPORT_ROWS }, (_, row) => `${name}/${row},1`);
    const form = new FormData();
    form.set(
      'file',
      new Blob([`title,author\n${rows.join('\n')}\n`], { type: 'text/csv' }),
      'a.csv',
    );
    const key = { 'idempotency-key': name, prefer: 'respond-async' };
    const path = '/utils/import/imported';
    const response = await this.#ask(path, { method: 'POST', body: form, headers: key }, true);
    await this.#expect(response, 'import');
    const location = response?.headers.get('location');
    if (location !== null && location !== undefined) this.jobs.push(location);
  }
}

for (const backend of backends) {
  t.test(`an upgrade without a pause, with the queue on ${backend.name}`, async (t) => {
    const databaseUrl = await createDatabase(t);
    const dataDir = mkdtempSync(join(tmpdir(), 'sluice-data-'));
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true }));
    const db = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    t.teardown(() => db.end());
    await db.query(`
      CREATE TABLE authors (id serial PRIMARY KEY, name text NOT NULL);
      CREATE TABLE articles (id serial PRIMARY KEY, title text UNIQUE, author int REFERENCES authors);
      CREATE TABLE imported (id serial PRIMARY KEY, title text, author int REFERENCES authors);
      INSERT INTO authors (name) VALUES ('Ada')`);
    const env = {
      ...{ ADMIN_TOKEN: TOKEN, DATABASE_URL: databaseUrl, DATA_DIR: dataDir },
      ...backend.env,
      DATABASE_POOL_MAX: '6',
    };
    const load = new Load();
    const old = await startRelease(t, checkOut(t, latestRelease()), env);
    load.targets = [old.url];
    await load.goOn();
    const current = await startRelease(t, ROOT, env);
    await load.goOn();
    load.targets = [old.url, current.url];
    await load.goOn();
    load.targets = [current.url];
    await old.stop();
    await load.goOn();
    await load.stop();

    t.strictSame(load.failures, []);
    const open = async () => {
      const text =
        "SELECT count(*)::int AS n FROM system_jobs WHERE state IN ('waiting', 'running')";
      return (await db.query(text)).rows[0].n === 0;
    };
    await until(open, 'all jobs have ended', 120_000);
    const states = await db.query(
      "SELECT DISTINCT state FROM system_jobs WHERE kind = 'import' ORDER BY state",
    );
    t.strictSame(states.rows, [{ state: 'completed' }]);
    const imported = await db.query(
      'SELECT count(*)::int AS n, count(DISTINCT title)::int AS titles FROM imported',
    );
    const rows = new Set(load.jobs).size * IMPORT_ROWS;
    t.strictSame(imported.rows, [{ n: rows, titles: rows }]);
    const { rows: titles } = await db.query<{ title: string }>('SELECT title FROM articles');
    const found = new Set(titles.map(({ title }) => title));
    t.strictSame(
      load.created.filter((name) => !found.has(name)),
      [],
      'everything that was confirmed is there',
    );
    const known = new Set([...load.created, ...load.unknown]);
    t.strictSame(
      [...found].filter((name) => !known.has(name)),
      [],
      'nothing else is there',
    );
    const history = await db.query(
      "SELECT count(*)::int AS n FROM system_activity WHERE collection = 'articles' AND action = 'create'",
    );
    t.equal(history.rows[0].n, found.size, 'each with its history, once');
    t.comment(
      `${load.answers} answers, ${load.jobs.length} imports, ${load.unknown.length} unknown`,
    );
  });
}
