/**
 * Measures what identity and permissions cost: the same read as a member and as an administrator,
 * and with a token, rights and limits compared with an anonymous caller without limits.
 */
import assert from 'node:assert/strict';
import { freePort } from '#ops/run/embedded/postgres.ts';
import type { Environment } from '../environment.ts';
import { chooseGenerator, type Load, loadOf, type Target } from '../load/load.ts';
import { growthDuring, MIB, startProcess } from '../process.ts';
import { pathsOf, readRequests } from '../read/request.ts';
import { amount, comparison, type Row } from '../result-row.ts';
import { crowdOf, crowdToken, logIn, makeAccounts } from './account.ts';

const CONNECTIONS = 32;
/** A limit that no run reaches; the limit for all together must be the highest. */
const PLENTY = { '': '1000000', GLOBAL_: '2000000', IDENTITY_: '1000000' };

interface Contest {
  readonly id: string;
  readonly title: string;
  readonly goal: number;
  readonly mine: Target;
  readonly theirs: Target;
}

/** Both sides alternate, after a run each to warm up. */
async function compete(environment: Environment, load: Load, contest: Contest): Promise<Row> {
  const { id, title, goal, mine, theirs } = contest;
  const { seconds, rounds } = environment.options;
  const options = { connections: CONNECTIONS, seconds, signal: environment.stop };
  environment.say(`access: ${title}`);
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

/** A separate edge with every limit on. */
async function startLimitedEdge(environment: Environment): Promise<string> {
  const port = await freePort();
  const limits = Object.entries(PLENTY).flatMap(([name, points]) => [
    [`RATE_LIMIT_${name}ENABLED`, 'true'],
    [`RATE_LIMIT_${name}POINTS`, points],
  ]);
  const env = { ...environment.env, PORT: String(port), ...Object.fromEntries(limits) };
  const edge = await startProcess({ script: 'edge/main.ts', env });
  environment.onClose(() => edge.stop());
  return `http://127.0.0.1:${port}`;
}

/** By how much the memory of the edge grows while many users send their first request. */
async function measureCrowd(environment: Environment, path: string): Promise<Row> {
  const crowd = crowdOf(environment);
  environment.say(`access: ${crowd} users, one after another`);
  const growth = await growthDuring(environment.edge.pid, async () => {
    let next = 0;
    const ask = async () => {
      while (next < crowd) {
        const token = crowdToken(next);
        next += 1;
        const headers = { Authorization: `Bearer ${token}` };
        const response = await fetch(environment.url + path, { headers });
        assert.equal(response.status, 200);
        await response.text();
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, ask));
  });
  const title = `growth of the edge over ${crowd.toLocaleString('en')} users`;
  return amount({ id: 'access/memory', title, unit: 'MiB' }, growth / MIB, 64);
}

export async function measureAccess(environment: Environment): Promise<Row[]> {
  await makeAccounts(environment);
  const load = loadOf(chooseGenerator(environment.options.generator));
  const requests = readRequests(environment.sizes);
  const pathsFor = (name: string) => {
    const request = requests.find((entry) => entry.name === name);
    assert(request !== undefined);
    return pathsOf(request);
  };
  const token = await logIn(environment.url);
  const nested = pathsFor('nested');
  const item = pathsFor('item');
  const limited = await startLimitedEdge(environment);
  return [
    await compete(environment, load, {
      id: 'access/member',
      title: 'nested read as a member with rules and field lists, compared with an admin',
      goal: 0.8,
      mine: { url: environment.url, paths: nested, token },
      theirs: { url: environment.url, paths: nested, token: environment.token },
    }),
    await compete(environment, load, {
      id: 'access/token',
      title: 'one item with access token and limits, compared with anonymous without limits',
      goal: 0.85,
      mine: { url: limited, paths: item, token },
      theirs: { url: environment.url, paths: item, token: null },
    }),
    await measureCrowd(environment, item[0] ?? '/items/articles/1'),
  ];
}
