/**
 * Measures what identity and permissions cost: the same read as a member and as an administrator,
 * and with a token, rights and limits against the public without limits.
 */
import assert from 'node:assert/strict';
import { freePort } from '#ops/embedded/postgres.ts';
import type { Rig } from '../environment.ts';
import { chooseGenerator, type Load, loadOf, type Target } from '../load/load.ts';
import { growthDuring, MIB, startProcess } from '../process.ts';
import { pathsOf, readRequests } from '../read/request.ts';
import { amount, comparison, type Row } from '../result-row.ts';
import { crowdOf, crowdToken, logIn, makeAccounts } from './account.ts';

const CONNECTIONS = 32;
/** Points that no run uses up; the limit for all together must be the highest. */
const PLENTY = { '': '1000000', GLOBAL_: '2000000', IDENTITY_: '1000000' };

interface Contest {
  readonly id: string;
  readonly title: string;
  readonly goal: number;
  readonly mine: Target;
  readonly theirs: Target;
}

/** Both sides take turns, after a run each to warm up. */
async function compete(rig: Rig, load: Load, contest: Contest): Promise<Row> {
  const { id, title, goal, mine, theirs } = contest;
  const { seconds, rounds } = rig.options;
  const options = { connections: CONNECTIONS, seconds, signal: rig.stop };
  rig.say(`access: ${title}`);
  await load(mine, options);
  await load(theirs, options);
  const sluice: number[] = [];
  const baseline: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    sluice.push(await load(mine, options));
    baseline.push(await load(theirs, options));
  }
  return comparison({ id, title, unit: 'requests/s' }, { sluice, baseline }, goal);
}

/** An edge of its own with every limit on. */
async function startLimitedEdge(rig: Rig): Promise<string> {
  const port = await freePort();
  const limits = Object.entries(PLENTY).flatMap(([name, points]) => [
    [`RATE_LIMIT_${name}ENABLED`, 'true'],
    [`RATE_LIMIT_${name}POINTS`, points],
  ]);
  const env = { ...rig.env, PORT: String(port), ...Object.fromEntries(limits) };
  const edge = await startProcess({ script: 'edge/main.ts', env });
  rig.onClose(() => edge.stop());
  return `http://127.0.0.1:${port}`;
}

/** What the edge grows by while many users ask for the first time. */
async function measureCrowd(rig: Rig, path: string): Promise<Row> {
  const crowd = crowdOf(rig);
  rig.say(`access: ${crowd} users, one after another`);
  const growth = await growthDuring(rig.edge.pid, async () => {
    let next = 0;
    const ask = async () => {
      while (next < crowd) {
        const token = crowdToken(next);
        next += 1;
        const headers = { Authorization: `Bearer ${token}` };
        const response = await fetch(rig.url + path, { headers });
        assert.equal(response.status, 200);
        await response.text();
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  });
  const title = `growth of the edge over ${crowd.toLocaleString('en')} users`;
  return amount({ id: 'access/memory', title, unit: 'MiB' }, growth / MIB, 64);
}

export async function measureAccess(rig: Rig): Promise<Row[]> {
  await makeAccounts(rig);
  const load = loadOf(chooseGenerator(rig.options.generator));
  const requests = readRequests(rig.sizes);
  const pathsFor = (name: string) => {
    const request = requests.find((entry) => entry.name === name);
    assert(request !== undefined);
    return pathsOf(request);
  };
  const token = await logIn(rig.url);
  const nested = pathsFor('nested');
  const item = pathsFor('item');
  const limited = await startLimitedEdge(rig);
  return [
    await compete(rig, load, {
      id: 'access/member',
      title: 'nested read as a member with rules and field lists, against an admin',
      goal: 0.8,
      mine: { url: rig.url, paths: nested, token },
      theirs: { url: rig.url, paths: nested, token: rig.token },
    }),
    await compete(rig, load, {
      id: 'access/token',
      title: 'one item with access token and limits, against the public without limits',
      goal: 0.85,
      mine: { url: limited, paths: item, token },
      theirs: { url: rig.url, paths: item, token: null },
    }),
    await measureCrowd(rig, item[0] ?? '/items/articles/1'),
  ];
}
