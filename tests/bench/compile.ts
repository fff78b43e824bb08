/** Measures parsing and compiling alone: no server, no database. */
import qs from 'qs';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { compilePage } from '#core/read/sql/compile.ts';
import { StatementCache } from '#core/read/statement-cache.ts';
import { adminTarget, boundsOf, loadCatalog } from './catalog.ts';
import type { Environment } from './environment.ts';
import { amount, median, type Row } from './result-row.ts';

const NEW_BELOW_MS = 1;
const SEEN_BELOW_MS = 0.1;

/** Queries that only warm up, and those that are measured. */
const WARM = 200;
const COUNTED = 500;
const REPEATS = 2_000;

/** Parsing of query strings, with the limits of an edge. */
const UNFOLD = { depth: 10, arrayLimit: 500, parameterLimit: 1_000, plainObjects: true } as const;

/**
 * A query string whose shape is different for each number: three levels, a filter, two sort terms.
 */
function queryText(number: number): string {
  return qs.stringify({
    fields: `id,alias${number},author.name,author.email,comments.body,article_tags.tag.name`,
    alias: { [`alias${number}`]: 'title' },
    filter: {
      _and: [{ status: { _in: ['published', 'draft'] } }, { views: { _gte: String(number) } }],
      author: { country: { _eq: 'fr' } },
    },
    deep: { comments: { _limit: '5', _sort: '-id' } },
    sort: '-published_on,id',
    limit: '25',
  });
}

function compileText(text: string, catalog: Catalog, bounds: QueryBounds): number {
  const query = parseQuery(qs.parse(text, UNFOLD), bounds);
  return compilePage(adminTarget(catalog, bounds, 'articles'), query).text.length;
}

/** Milliseconds for each piece of work. */
function timesOf(work: readonly (() => unknown)[]): number[] {
  return work.map((run) => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
}

/** The path of a list route, with the statement cache. */
function remembered(text: string, catalog: Catalog, bounds: QueryBounds): () => unknown {
  const cache = new StatementCache();
  const target = adminTarget(catalog, bounds, 'articles');
  const question = { text, query: () => parseQuery(qs.parse(text, UNFOLD), bounds) };
  return () =>
    cache.get(
      catalog,
      target.grants,
      { place: 'list articles', question, caller: target.caller },
      (query) => ({
        kind: 'page',
        statement: compilePage(target, query),
      }),
    );
}

/** Measures queries that are new and one that is repeated. */
export async function measureCompile(environment: Environment): Promise<Row[]> {
  environment.say('compile: parsing and compiling alone');
  const catalog = await loadCatalog(environment);
  const bounds = boundsOf(environment);
  const work = Array.from({ length: WARM + COUNTED }, (_, index) => {
    const text = queryText(index);
    return () => compileText(text, catalog, bounds);
  });
  timesOf(work.slice(0, WARM));
  const fresh = timesOf(work.slice(WARM));
  const again = remembered(queryText(0), catalog, bounds);
  again();
  const seen = timesOf(Array<() => unknown>(REPEATS).fill(again));
  const heading = (id: string, what: string) =>
    ({ id: `compile/${id}`, title: `parse and compile a query ${what}`, unit: 'ms' }) as const;
  return [
    amount(heading('new', 'never seen'), median(fresh), NEW_BELOW_MS, spread(fresh)),
    amount(heading('seen', 'seen before'), median(seen), SEEN_BELOW_MS, spread(seen)),
  ];
}

function spread(times: readonly number[]) {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    fastest: sorted[0],
    p99: sorted[Math.floor(sorted.length * 0.99)],
    slowest: sorted.at(-1),
  };
}
