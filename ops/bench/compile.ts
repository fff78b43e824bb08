/** Measures parsing and compiling by themselves: no server, no database. */
import qs from 'qs';
import type { Catalog } from '#core/catalog/catalog.ts';
import { parseQuery } from '#core/query/parse/parameter.ts';
import type { QueryBounds } from '#core/query/query.ts';
import { compilePage } from '#core/query/sql/compile.ts';
import { StatementCache } from '#core/services/statement-cache.ts';
import { adminTarget, boundsOf, loadCatalog } from './catalog.ts';
import type { Rig } from './environment.ts';
import { amount, median, type Row } from './result-row.ts';

const NEW_BELOW_MS = 1;
const SEEN_BELOW_MS = 0.1;

/** Queries that only warm the process up, and those that count. */
const WARM = 200;
const COUNTED = 500;
const REPEATS = 2_000;

/** The unfolding of query strings, with the bounds of an edge. */
const UNFOLD = { depth: 10, arrayLimit: 500, parameterLimit: 1_000, plainObjects: true } as const;

/** A query string of a shape that no other number has: three levels, a filter, two sort terms. */
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

/** Milliseconds that each piece of work takes. */
function timesOf(work: readonly (() => unknown)[]): number[] {
  return work.map((run) => {
    const started = performance.now();
    run();
    return performance.now() - started;
  });
}

/** The way of a list route: the statement of a question is remembered. */
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

/** Measures a query that was never seen and one that comes again and again. */
export async function measureCompile(rig: Rig): Promise<Row[]> {
  rig.say('compile: parsing and compiling, by themselves');
  const catalog = await loadCatalog(rig);
  const bounds = boundsOf(rig);
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
