/**
 * Two hosts with an edge each, and a bucket that both reach: an upload that begins at one edge goes on at
 * the other when the first host is cut off, from the byte where it was, and late writes of the first one
 * change nothing.
 */
import { createHash, randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import t from 'tap';
import { ADMIN_TOKEN } from '#tests/harness/cluster.ts';
import { type SluiceHost, startInstallation } from '#tests/harness/hosts/installation.ts';
import { openNetwork } from '#tests/harness/hosts/open-network.ts';
import { until } from '#tests/harness/until.ts';

const network = openNetwork(t);
const installation = await startInstallation(t, network);
const { db, bucket } = installation;
const env = { ...bucket, WORKER_PROCESSES: '0', STORAGE_PART_SIZE: '5mb' };
const first = await installation.start('edge-1', { ...env, EDGE_PROCESSES: '1' });
const second = await installation.start('edge-2', { ...env, EDGE_PROCESSES: '1' });

const TUS = { 'Tus-Resumable': '1.0.0', 'Content-Type': 'application/offset+octet-stream' };
const content = randomBytes(18_000_000);

/** Sends the rest of an upload without waiting for an answer. */
function send(edge: SluiceHost, path: string, from: number, to: number) {
  const { hostname, port, host } = new URL(edge.url);
  const socket = connect(Number(port), hostname);
  const headers = {
    ...{ Host: host, Authorization: `Bearer ${ADMIN_TOKEN}`, ...TUS },
    ...{ 'Upload-Offset': `${from}`, 'Content-Length': `${content.length - from}` },
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.on('error', () => undefined);
  socket.write(`PATCH ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  socket.write(content.subarray(from, to));
  t.teardown(() => void socket.destroy());
  return socket;
}

async function offset(edge: SluiceHost, path: string): Promise<number | null> {
  const answer = await edge.ask(path, { method: 'HEAD', headers: TUS }).catch(() => null);
  return answer?.status === 200 ? Number(answer.headers.get('upload-offset')) : null;
}

async function begin(edge: SluiceHost): Promise<string> {
  const answer = await edge.ask('/files/tus', {
    method: 'POST',
    headers: { ...TUS, 'Upload-Length': `${content.length}`, 'Upload-Metadata': 'filename eA==' },
  });
  t.equal(answer.status, 201, await answer.text());
  return answer.headers.get('location') ?? '';
}

const recorded = async (path: string) =>
  Number(
    (
      await db.query('SELECT "offset" FROM system_resumable_uploads WHERE id = $1', [
        path.slice(path.lastIndexOf('/') + 1),
      ])
    ).rows[0]?.offset,
  );

for (const [from, to] of [
  [first, second],
  [second, first],
] as const) {
  t.test(`${from.host.name} is cut off, and ${to.host.name} goes on`, async (t) => {
    const path = await begin(from);
    const socket = send(from, path, 0, 12_000_000);
    await until(async () => (await recorded(path)) > 5_000_000, 'two parts arrive');
    from.host.cut();
    // More of it is on its way to nobody.
    socket.write(content.subarray(12_000_000, 15_000_000));
    const at = await until(async () => await offset(to, path), 'the other edge goes on', 60_000);
    t.ok(at >= 5_000_000, `from byte ${at}`);
    const middle = await to.ask(path, {
      method: 'PATCH',
      headers: { ...TUS, 'Upload-Offset': `${at}` },
      body: content.subarray(at, at + 2_000_000),
      signal: AbortSignal.timeout(60_000),
    });
    t.equal(middle.status, 204, await middle.text());
    from.host.heal();
    socket.write(content.subarray(15_000_000));
    await until(
      async () => (await offset(from, path)) === at + 2_000_000,
      'the first one hears it',
    );
    const rest = await to.ask(path, {
      method: 'PATCH',
      headers: { ...TUS, 'Upload-Offset': `${at + 2_000_000}` },
      body: content.subarray(at + 2_000_000),
      signal: AbortSignal.timeout(60_000),
    });
    t.equal(rest.status, 204, await rest.text());
    const file = rest.headers.get('file-id');
    for (const edge of [to, from]) {
      const answer = await edge.ask(`/assets/${file}`, { signal: AbortSignal.timeout(60_000) });
      const back = Buffer.from(await answer.arrayBuffer());
      t.ok(back.equals(content), `${edge.host.name} sends what was sent`);
    }
    const { rows } = await db.query('SELECT sha256, filesize FROM system_files WHERE id = $1', [
      file,
    ]);
    t.strictSame(rows, [
      { sha256: createHash('sha256').update(content).digest('hex'), filesize: `${content.length}` },
    ]);
    const left = await db.query('SELECT FROM system_unclaimed_content');
    t.equal(left.rowCount, 0, 'nothing is left behind');
    socket.destroy();
  });
}
