/**
 * Thumbnails of a user and of a visitor, while one anonymous client asks for the slowest variants of
 * public images that the edge takes, 24 at a time: how long the thumbnails take, and how much memory the
 * processes for images have. With few processors, and where an edge has one image made at a time.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import sharp from 'sharp';
import t from 'tap';
import { median } from '#tests/bench/result-row.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { until } from '#tests/harness/until.ts';

const THUMBNAILS = Number(process.env.THUMBNAILS ?? 20);
const ATTACKS = 24;
const VISITOR = '127.0.0.2';
const ATTACKER = '127.0.0.3';
/**
 * The most milliseconds that a thumbnail takes, by the images that an edge has made at a time: where that
 * is one, it comes after the slowest image that is let through, and after one of another holder.
 */
const BOUNDS = [
  { concurrent: '25', middle: 2_000, most: 8_000 },
  { concurrent: '1', middle: 8_000, most: 20_000 },
];
/** ASSETS_TRANSFORM_MEMORY, and what a process takes between two looks. */
const MOST_MIB = 512 + 128;

interface Asked {
  readonly status: number;
  readonly ms: number;
}

/** Asks as a client with an address of its own. */
async function ask(
  url: string,
  { address, token, over }: { address: string; token?: string; over?: AbortSignal },
): Promise<Asked> {
  const since = performance.now();
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const options = {
    localAddress: address,
    headers,
    ...(over === undefined ? {} : { signal: over }),
  };
  const asking = request(url, options, (answer) => {
    answer.on('error', reject);
    answer.on('end', () => resolve(answer.statusCode ?? 0));
    answer.resume();
  });
  asking.on('error', reject);
  asking.end();
  return { status: await promise, ms: performance.now() - since };
}

/** The most memory (MiB) that each process for images has had, of those that run. */
function imageProcesses(): Map<number, number> {
  const found = new Map<number, number>();
  for (const pid of readdirSync('/proc').map(Number).filter(Number.isInteger)) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('image-process.ts')) continue;
      const [, kib] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
      found.set(pid, Number(kib) / 1_024);
    } catch {
      // It has ended.
    }
  }
  return found;
}

async function upload({ fetch }: Cluster, content: Buffer): Promise<string> {
  const form = new FormData();
  form.append('file', new File([new Uint8Array(content)], 'image.png'));
  const answer = await fetch('/files', { method: 'POST', body: form });
  return JSON.parse(await answer.text()).data.id;
}

function noise(width: number, height: number) {
  const create = { width, height, channels: 3, background: '#000' } as const;
  return sharp({ create: { ...create, noise: { type: 'gaussian', mean: 128, sigma: 60 } } });
}

/** An attack that ends with the test. */
const CUT = { status: 0 };

interface Images {
  readonly logo: string;
  readonly photo: string;
}

/** What the attacker asks for; each is another variant. */
const ATTACK: readonly ((images: Images, n: number) => string)[] = [
  ({ logo }, n) => `${logo}?width=6000&height=6000&format=avif&quality=${1 + (n % 100)}`,
  ({ photo }, n) => `${photo}?width=${4_200 - n}&format=webp&quality=100`,
  ({ photo }, n) => `${photo}?width=${1_990 - n}&format=avif&quality=100`,
  ({ photo }, n) => `${photo}?width=${5_900 - n}&transforms=[["clahe",{"width":100,"height":100}]]`,
];

for (const { concurrent, middle, most } of BOUNDS) {
  t.test(`${concurrent} images at a time on an edge`, async (t) => {
    const env = { ASSETS_TRANSFORM_MAX_CONCURRENT: concurrent, WORKER_NICENESS: '10' };
    const cluster = await startCluster(t, { workers: 1, env });
    const { url } = cluster;
    const logo = await upload(cluster, await noise(1, 1).png().toBuffer());
    const photo = await upload(cluster, await noise(6_000, 6_000).jpeg().toBuffer());
    const own = await upload(cluster, await noise(4_000, 3_000).jpeg().toBuffer());
    const settings = { project_logo: logo, public_background: photo, public_foreground: own };
    await cluster.fetch('/settings', { method: 'PATCH', body: JSON.stringify(settings) });
    await until(async () => {
      const { status } = await ask(`${url}/assets/${own}?width=64`, { address: VISITOR });
      return status === 200;
    }, 'an image is public');
    const over = new AbortController();
    const met = new Map<number, number>();
    let asked = 0;
    const attack = async () => {
      while (!over.signal.aborted) {
        asked += 1;
        const path = ATTACK[asked % ATTACK.length]?.({ logo, photo }, asked) ?? '';
        const client = { address: ATTACKER, over: over.signal };
        const { status } = await ask(encodeURI(`${url}/assets/${path}`), client).catch(() => CUT);
        met.set(status, (met.get(status) ?? 0) + 1);
        // What is refused at once is no attack on images.
        if (status >= 400) await delay(100);
      }
    };
    const attacks = Array.from({ length: ATTACKS }, attack);
    const memory = new Map<number, number>();
    const watch = setInterval(() => {
      for (const [pid, mib] of imageProcesses()) memory.set(pid, mib);
    }, 100);
    await delay(5_000);
    const measured = async (client: { address: string; token?: string }, from: number) => {
      const all: Asked[] = [];
      for (let n = 0; n < THUMBNAILS; n += 1) {
        all.push(await ask(`${url}/assets/${own}?width=${from + n}`, client));
      }
      return all;
    };
    const [user, visitor] = await Promise.all([
      measured({ address: '127.0.0.1', token: ADMIN_TOKEN }, 200),
      measured({ address: VISITOR }, 400),
    ]);
    clearInterval(watch);
    over.abort();
    await Promise.all(attacks);
    t.comment(`answers to the attack: ${JSON.stringify(Object.fromEntries(met))}`);
    const mib = Math.max(...memory.values());
    t.comment(`memory of processes (MiB): ${[...memory.values()].map(Math.round).join(', ')}`);
    for (const [name, all] of Object.entries({ user, visitor })) {
      const times = all.map(({ ms }) => ms);
      const refused = all.filter(({ status }) => status !== 200).length;
      const found = { middle: median(times), most: Math.max(...times) };
      t.comment(`${name} (ms): p50 ${found.middle.toFixed(0)}, most ${found.most.toFixed(0)}`);
      t.equal(refused, 0, `${name}: every thumbnail is made`);
      t.ok(found.middle <= middle, `${name}: median at most ${middle} ms`);
      t.ok(found.most <= most, `${name}: at most ${most} ms`);
    }
    t.ok(mib <= MOST_MIB, `a process has ${mib.toFixed(0)} MiB of ${MOST_MIB}`);
  });
}
