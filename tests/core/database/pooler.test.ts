// @newest
/**
 * The requirements of a transaction pooler such as PgBouncer for its clients: no setting may
 * outlive a transaction, and no statement name may be reused, even after a rejected statement.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import t from 'tap';
import { loadConfig } from '#core/base/config/config.ts';
import { PendingRead } from '#core/database/pending-read.ts';
import { PipelinePool } from '#core/database/pipeline-pool.ts';
import { createPool, type Pool, withConnection } from '#core/database/pool.ts';
import { rowsOf, runTogether } from '#core/database/prepared.ts';
import { createDatabase, type Teardown } from '#tests/harness/database.ts';

const log = pino({ level: 'silent' });
/** A client error that ends its connection, in PgBouncer's format. */
const IN_USE = 'SFATAL\0C08P01\0Mprepared statement name is already in use\0\0';

interface Gate {
  readonly url: string;
  /** Texts of the simple protocol that change settings. */
  readonly simple: string[];
}

function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

/** Yields whole messages; those from clients begin with one that has no type. */
function splitter(isClient: boolean, take: (type: string, bytes: Buffer) => void) {
  let pending = Buffer.alloc(0);
  let isStarted = !isClient;
  return (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const head = isStarted ? 1 : 0;
      if (pending.length < head + 4) return;
      const length = head + pending.readInt32BE(head);
      if (pending.length < length) return;
      const bytes = Buffer.from(pending.subarray(0, length));
      pending = pending.subarray(length);
      take(isStarted ? String.fromCharCode(bytes[0] ?? 0) : '', bytes);
      isStarted = true;
    }
  };
}

const textAt = (bytes: Buffer, at: number) => bytes.toString('utf8', at, bytes.indexOf(0, at));

/** Watches the names of one client, and gives it a process id of its own. */
function guard(client: Socket, server: Socket, simple: string[]): void {
  const names = new Set<string>();
  client.on(
    'data',
    splitter(true, (type, bytes) => {
      if (type === 'Q') simple.push(textAt(bytes, 5));
      if (type === 'C' && bytes[5] === 'S'.charCodeAt(0)) names.delete(textAt(bytes, 6));
      const name = type === 'P' ? textAt(bytes, 5) : '';
      if (name !== '' && names.has(name)) client.end(message('E', Buffer.from(IN_USE)));
      else server.write(bytes);
      if (name !== '') names.add(name);
    }),
  );
  server.on(
    'data',
    splitter(false, (type, bytes) => {
      if (type === 'K') bytes.writeInt32BE(1, 5);
      if (!client.writableEnded) client.write(bytes);
    }),
  );
  client.on('close', () => server.destroy());
  server.on('close', () => client.end());
  for (const socket of [client, server]) socket.on('error', () => undefined);
}

async function openGate(t: Teardown, target: string): Promise<Gate> {
  const url = new URL(target);
  const [host, port] = [url.hostname, Number(url.port)];
  const simple: string[] = [];
  const server = createServer((client) => guard(client, connect(port, host), simple));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return { url: url.href, simple };
}

const databaseUrl = await createDatabase(t);
const gate = await openGate(t, databaseUrl);

/** Runs statements of which the second one is rejected once, because its column is missing. */
async function overtaken(t: Teardown, run: (text: string) => Promise<unknown>): Promise<unknown> {
  const db = new pg.Client({ connectionString: databaseUrl });
  await db.connect();
  t.teardown(() => db.end());
  await db.query('DROP TABLE IF EXISTS thing; CREATE TABLE thing (id int)');
  const text = "SELECT '1'::text FROM thing WHERE late IS NULL UNION ALL SELECT '2' LIMIT 1";
  // The first one of its kind has no name yet.
  for (let time = 0; time < 2; time += 1) await run(text).catch(() => undefined);
  await db.query('ALTER TABLE thing ADD late text');
  return await run(text);
}

t.test('a rejected statement is parsed again under its name', async (t) => {
  const pool: Pool = createPool(loadConfig({}), gate.url, log, {
    ...{ name: 'test', max: 1, statementTimeout: 0 },
  });
  t.teardown(() => pool.end());
  const statement = (text: string) => ({ text, values: [] });
  t.strictSame(
    await overtaken(t, (text) => withConnection(pool, (one) => rowsOf(one, statement(text)))),
    [['2']],
    'alone',
  );
  t.strictSame(
    await overtaken(t, (text) =>
      withConnection(pool, (one) => runTogether(one, [statement(`${text} OFFSET 0`)])),
    ),
    [[['2']]],
    'with other statements',
  );
});

t.test('pipelined reads', async (t) => {
  const pages = new PipelinePool({
    ...{ url: gate.url, name: 'test', log, size: 2, statementTimeout: 30_000 },
  });
  await pages.open();
  t.teardown(() => pages.close());
  const read = async (text: string) => {
    const connection = pages.forQuick();
    if (connection === null) throw new Error('no connection is there');
    const pending = new PendingRead(undefined, () => undefined);
    const prepared = { name: 'q1', statement: { text, values: [] }, time: 1 };
    const outcome = await pages.run(connection, prepared, pending);
    return outcome.kind === 'answered' ? outcome.value?.toString() : outcome;
  };
  t.equal(await overtaken(t, read), '2', 'a rejected one is parsed again under its name');
  t.equal(pages.borrow(false), null, 'no connection is lent to a write that must not wait');
  pages.borrow()?.giveBack();
  t.strictSame(
    gate.simple.filter((text) => text.includes('lock_timeout')),
    [],
    'none of their settings is left in shared sessions',
  );
});
