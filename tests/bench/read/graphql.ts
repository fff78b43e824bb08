/**
 * Measures GraphQL: against the same read through REST, against PostGraphile on the same database,
 * and ten fields of a root against their statements alone.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { sessionSettings } from '#core/database/pool.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { freePort } from '#ops/run/embedded/postgres.ts';
import { boundsOf } from '../catalog.ts';
import type { Environment } from '../environment.ts';
import type { Load } from '../load/load.ts';
import { ROOT, startProcess } from '../process.ts';
import { comparison, type Row } from '../result-row.ts';
import { capture } from './capture-sql.ts';
import { alternate, duelRow, run, type Side, textOf } from './duel.ts';
import { pathsOf, type ReadRequest } from './request.ts';

/** Of the rate of REST, what the same through GraphQL has to reach. */
const REST_GOAL = 0.9;
/** Of the rate of PostGraphile. */
const POSTGRAPHILE_GOAL = 1.2;
/** So many times the time of their statements, ten fields may take. */
const FIELDS_GOAL = 1.15;
const FIELDS = 10;

/** A read with its document. */
export type GraphqlRequest = ReadRequest & Required<Pick<ReadRequest, 'document'>>;

function sideOf(
  { url, token, edge }: Environment,
  document: string,
): Side & { readonly body: string } {
  return {
    ...{ description: 'GraphQL', url, token, pid: edge.pid },
    ...{ paths: ['/graphql'], method: 'POST', body: JSON.stringify({ query: document }) },
  };
}

/** The list of a collection in an answer. */
function listOf(text: string, name: string): readonly Readonly<Record<string, unknown>>[] {
  const { data, errors } = JSON.parse(text);
  assert.equal(errors, undefined, text.slice(0, 500));
  return data[name];
}

/** Against the same through REST. */
export async function measureAgainstRest(
  environment: Environment,
  request: GraphqlRequest,
  load: Load,
): Promise<Row> {
  const { url, token, edge } = environment;
  const facts = { url, token, pid: edge.pid };
  const rest = { ...facts, description: 'REST', paths: pathsOf(request) };
  const path = `/graphql?query=${encodeURIComponent(request.document)}`;
  const graphql = { ...facts, description: 'GraphQL', paths: [path] };
  const items = listOf(await textOf(graphql), request.collection);
  assert.equal(items.length, JSON.parse(await textOf(rest)).data.length);
  for (const side of [rest, graphql]) await run(environment, side, load);
  const runs = await alternate(environment, [graphql, rest], load);
  const heading = {
    id: `read/${request.name}-graphql`,
    title: '  the same through GraphQL, against REST',
  };
  return duelRow(heading, runs, [graphql, rest], REST_GOAL);
}

const FOLDER = 'tests/bench/postgraphile';

/** Its names for the nested read: a list of a table, and of what refers to one of its rows. */
const POSTGRAPHILE_DOCUMENT =
  '{ allArticlesList(first: 25) { id title authorByAuthor { name } commentsByArticleList(first: 5) { name body } articleTagsByArticleList { tagByTag { name } } } }';

/** Against PostGraphile; no row where that is not installed. */
export async function measureAgainstPostgraphile(
  environment: Environment,
  request: GraphqlRequest,
  load: Load,
): Promise<readonly Row[]> {
  const { databaseUrl, config, say, options } = environment;
  if (!existsSync(join(ROOT, FOLDER, 'node_modules'))) {
    say(`read: PostGraphile is not installed (npm ci --prefix ${FOLDER})`);
    return [];
  }
  const port = await freePort();
  const running = await startProcess({
    script: `${FOLDER}/server.mjs`,
    env: {
      ...{ NODE_ENV: 'production', GRAPHILE_ENV: 'production', DATABASE_URL: databaseUrl },
      ...{ PORT: String(port), CONNECTIONS: String(config.DATABASE_POOL_MAX) },
    },
  });
  try {
    const sluice = sideOf(environment, request.document);
    const postgraphile: Side = {
      ...{ description: 'PostGraphile', url: `http://127.0.0.1:${port}`, token: null },
      ...{ pid: running.pid, paths: ['/graphql'], method: 'POST' },
      body: JSON.stringify({ query: POSTGRAPHILE_DOCUMENT }),
    };
    const mine = listOf(await textOf(sluice), request.collection);
    const theirs = listOf(await textOf(postgraphile), 'allArticlesList');
    assert.deepEqual(
      mine.map((item) => [item.title, item.author, item.comments].map(sorted)),
      theirs.map((item) =>
        [item.title, item.authorByAuthor, item.commentsByArticleList].map(sorted),
      ),
      'both sides answer the same',
    );
    const seconds = Math.max(options.seconds, 3);
    for (const side of [sluice, postgraphile]) await run(environment, side, load, { seconds });
    const runs = await alternate(environment, [sluice, postgraphile], load);
    const heading = {
      id: `read/${request.name}-postgraphile`,
      title: '  through GraphQL, against PostGraphile',
    };
    return [duelRow(heading, runs, [sluice, postgraphile], POSTGRAPHILE_GOAL)];
  } finally {
    await running.stop();
  }
}

/** A value whose lists have no order. */
function sorted(value: unknown): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((member) => JSON.stringify(member)).toSorted();
}

/** Ten fields of a root, one operation after another, against their statements on one connection. */
export async function measureTenFields(
  environment: Environment,
  request: GraphqlRequest,
  catalog: Catalog,
  load: Load,
): Promise<Row> {
  const { options, databaseUrl, stop } = environment;
  const inner = request.document.slice(1, -1).trim();
  const name = request.collection;
  const offsets = Array.from({ length: FIELDS }, (_, index) => index * 10);
  const fields = offsets.map((offset) =>
    inner.replace(`${name}(limit: 25)`, `a${offset}: ${name}(limit: 25, offset: ${offset})`),
  );
  const sluice = sideOf(environment, `{ ${fields.join(' ')} }`);
  const statements = offsets.map((offset) => {
    const parameters = { ...request.parameters, offset: String(offset) };
    return capture({ ...request, name: `a${offset}`, parameters }, catalog, boundsOf(environment));
  });
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query(sessionSettings(0));
    const answer = await textOf(sluice);
    const once = async () => {
      const texts: string[] = [];
      for (const { name: prepared, text, values } of statements) {
        const query = { name: prepared, text, values, rowMode: 'array' } as const;
        const { rows } = await client.query<[string]>(query);
        texts.push(rows[0]?.[0] ?? '');
      }
      return texts;
    };
    const texts = await once();
    for (const [index, text] of texts.entries()) {
      const items = listOf(answer, `a${offsets[index]}`);
      assert.equal(items.length, JSON.parse(text).length);
      assert(items.length > 0);
    }
    const alone = async () => {
      const started = performance.now();
      const end = started + options.seconds * 1_000;
      let count = 0;
      for (; performance.now() < end; count += 1) {
        stop.throwIfAborted();
        await once();
      }
      return (count * 1_000) / (performance.now() - started);
    };
    const single = { connections: 1 };
    await run(environment, sluice, load, single);
    await alone();
    const duel = { sluice: [] as number[], baseline: [] as number[] };
    for (let round = 0; round < options.rounds; round += 1) {
      duel.sluice.push((await run(environment, sluice, load, single)).rate);
      duel.baseline.push(await alone());
    }
    return comparison(
      {
        id: `read/${request.name}-ten-fields`,
        title: '  ten fields at a root, against their statements one by one',
        unit: 'requests/s',
      },
      duel,
      1 / FIELDS_GOAL,
      { baselineIs: 'their statements, prepared, on one connection' },
    );
  } finally {
    await client.end();
  }
}
