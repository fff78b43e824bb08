// @newest @rare @slow
/**
 * Bad requests for files leave nothing open: descriptors, sockets and pooled connections of an edge and
 * its database are as many as before. REQUESTS says how many of each kind; a long run takes 1000.
 */
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import t from 'tap';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { flood } from '#tests/harness/hostile-image.ts';
import { until } from '#tests/harness/until.ts';

const REQUESTS = Number(process.env.REQUESTS ?? 60);
const AT_ONCE = 12;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

interface Bad {
  readonly name: string;
  readonly path: string;
  readonly init?: RequestInit;
  readonly statuses: readonly number[];
}

/** Descriptors of a process, without those of files that it only loads now and then. */
function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

async function connections({ db }: Cluster): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_stat_activity
     WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()`,
  );
  return rows[0]?.count ?? 0;
}

/** Sends the beginning of a request and goes away. */
async function breakOff(url: string, head: string): Promise<void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject);
    socket.write(head, () => {
      socket.destroy();
      resolve();
    });
  });
}

/** Works some at a time. */
async function many(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const one = async () => {
    for (let n = next++; n < count; n = next++) await work(n);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
}

t.test('nothing stays open', async (t) => {
  const cluster = await startCluster(t, { edges: 1, workers: 1 });
  const [edge] = cluster.edges;
  if (edge === undefined) throw new Error('there is an edge');
  const store = async (content: Uint8Array<ArrayBuffer>, name: string): Promise<string> => {
    const form = new FormData();
    form.append('file', new File([content], name));
    const answer = await cluster.fetch('/files', { method: 'POST', body: form });
    return JSON.parse(await answer.text()).data.id;
  };
  const large = await store(new Uint8Array(4 * 1024 * 1024), 'large.bin');
  const image = await store(new Uint8Array(flood(50, 50)), 'image.png');
  const gone = await store(new TextEncoder().encode('gone'), 'gone.txt');
  await cluster.db.query(
    `UPDATE system_files SET filename_disk = gen_random_uuid() || '.txt' WHERE id = $1`,
    [gone],
  );
  const tus = { 'Tus-Resumable': '1.0.0', 'Upload-Length': '5' };
  const json = { 'Content-Type': 'application/json' };
  const form = { 'Content-Type': 'multipart/form-data; boundary=x' };
  const kinds: readonly Bad[] = [
    { name: 'no such file', path: `/assets/${UNKNOWN}`, statuses: [403] },
    { name: 'no key', path: '/assets/..%2f..%2fetc%2fpasswd', statuses: [403] },
    { name: 'bytes that are gone', path: `/assets/${gone}`, statuses: [503] },
    {
      name: 'a part that is not there',
      path: `/assets/${large}`,
      init: { headers: { Range: 'bytes=99999999-' } },
      statuses: [416],
    },
    {
      name: 'a condition that fails',
      path: `/assets/${large}`,
      init: { headers: { 'If-Match': '"other"' } },
      statuses: [412],
    },
    { name: 'a transformation that is none', path: `/assets/${image}?width=x`, statuses: [400] },
    {
      name: 'an operation that fails',
      path: `/assets/${image}?transforms=[["extract",{"left":99,"top":0,"width":9,"height":9}]]`,
      statuses: [422, 503],
    },
    { name: 'a wrong signature', path: `/assets/${large}?signature=x.y.z`, statuses: [401, 403] },
    {
      name: 'an archive of nothing',
      path: '/assets/files',
      init: { method: 'POST', headers: json, body: JSON.stringify({ ids: [large, UNKNOWN] }) },
      statuses: [403],
    },
    {
      name: 'no multipart',
      path: '/files',
      init: { method: 'POST', headers: form, body: '--y\r\nnothing' },
      statuses: [400],
    },
    {
      name: 'a part that does not end',
      path: '/files',
      init: {
        method: 'POST',
        headers: form,
        body: '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nabc',
      },
      statuses: [400],
    },
    {
      name: 'tus without a name',
      path: '/files/tus',
      init: { method: 'POST', headers: tus },
      statuses: [400],
    },
    {
      name: 'tus without an upload',
      path: `/files/tus/${UNKNOWN}`,
      init: {
        method: 'PATCH',
        headers: {
          ...tus,
          'Upload-Offset': '0',
          'Content-Type': 'application/offset+octet-stream',
        },
        body: 'x',
      },
      statuses: [403],
    },
    {
      name: 'a URL of this host',
      path: '/files/import',
      init: { method: 'POST', headers: json, body: '{"url":"http://127.0.0.1:1/x"}' },
      statuses: [503],
    },
  ];
  const authorization = `Authorization: Bearer ${ADMIN_TOKEN}`;
  const broken = [
    `GET /assets/${large} HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`,
    `GET /assets/${image}?width=33 HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`,
    `POST /files HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: 9999\r\nContent-Type: ${form['Content-Type']}\r\n\r\n--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\nabc`,
    `POST /assets/files HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Type: application/json\r\nContent-Length: 52\r\n\r\n{"ids":["${large}"]}  `,
  ];
  const round = async (count: number, isTold: boolean) => {
    for (const { name, path, init, statuses } of kinds) {
      const met = new Set<number>();
      await many(count, async () => {
        const answer = await cluster.fetch(path, init);
        await answer.arrayBuffer();
        met.add(answer.status);
      });
      if (isTold)
        t.ok(
          [...met].every((status) => statuses.includes(status)),
          `${name}: ${[...met]}`,
        );
    }
    for (const head of broken) await many(count, () => breakOff(cluster.url, head));
  };
  const isCalm = async () => (await connections(cluster)) === 0;
  // What is loaded and connected once is not counted.
  await round(AT_ONCE, false);
  await until(isCalm, 'nothing runs before');
  const before = descriptors(edge.pid);
  await round(REQUESTS, true);
  await until(isCalm, 'nothing runs after');
  // Connections of this client may stay; it keeps as many as it used at once.
  await until(() => descriptors(edge.pid) <= before + AT_ONCE, 'descriptors are closed', 30_000);
  t.comment(`${before} descriptors before, ${descriptors(edge.pid)} after`);
  const left = "SELECT FROM system_unclaimed_content WHERE state = 'arriving'";
  await until(async () => (await cluster.db.query(left)).rowCount === 0, 'no upload is left');
  const folders = readdirSync(tmpdir()).filter((name) =>
    cluster.workers.some(({ pid }) => name.startsWith(`sluice-images-${pid}-`)),
  );
  for (const folder of folders) t.strictSame(readdirSync(`${tmpdir()}/${folder}`), []);
});
