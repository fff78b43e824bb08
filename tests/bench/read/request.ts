/** The reads that are measured. */
import qs from 'qs';
import type { Statement } from '#core/database/sql.ts';
import type { Parameters } from '#core/query/parse/parameter.ts';
import type { Sizes } from '../dataset.ts';

export interface ReadRequest {
  readonly name: string;
  readonly title: string;
  readonly collection: string;
  /** Keys of the items that are read in turn; null for a list. */
  readonly keys: readonly number[] | null;
  readonly parameters: Parameters;
  /** The same in GraphQL; absent where only REST is measured. */
  readonly document?: string;
  /** Least ratio to the baseline with a pool. */
  readonly goal: number;
  /** The statement as somebody would write it by hand; its first column is the answer's JSON. */
  readonly handwritten?: Statement & { readonly goal: number };
}

const NESTED = `SELECT json_agg(t)::text FROM (
  SELECT a.id, a.title,
    (SELECT json_build_object('name', u.name) FROM authors u WHERE u.id = a.author) AS author,
    (SELECT coalesce(json_agg(json_build_object('name', c.name, 'body', c.body)), '[]') FROM (
      SELECT name, body FROM comments WHERE article = a.id ORDER BY id LIMIT 5) c) AS comments,
    (SELECT coalesce(json_agg(json_build_object('tag', json_build_object('name', g.name))), '[]')
      FROM article_tags x JOIN tags g ON g.id = x.tag WHERE x.article = a.id) AS article_tags
  FROM articles a ORDER BY a.id LIMIT 25) t`;
const FILTERED = `SELECT json_agg(t)::text FROM (
  SELECT id, title, views, published_on FROM articles
  WHERE status = $1 AND views >= $2 ORDER BY views DESC, id LIMIT 25) t`;

/** Number of different items: enough for a fair mix. */
const KEYS = 1_000;

export function readRequests({ articles }: Sizes): readonly ReadRequest[] {
  const count = Math.min(KEYS, articles);
  const step = Math.floor(articles / count);
  const list = { collection: 'articles', keys: null };
  return [
    {
      name: 'item',
      title: 'one item by its key',
      collection: 'articles',
      keys: Array.from({ length: count }, (_, index) => index * step + 1),
      parameters: {},
      goal: 1.3,
    },
    {
      ...list,
      name: 'list',
      title: 'list of 100 items, 4 fields',
      parameters: { fields: 'id,title,status,views', limit: '100' },
      goal: 1.15,
    },
    {
      ...list,
      name: 'nested',
      title: '25 articles, author, 5 comments each, tags',
      parameters: {
        fields: 'id,title,author.name,comments.name,comments.body,article_tags.tag.name',
        deep: { comments: { _limit: '5' } },
        limit: '25',
      },
      document:
        '{ articles(limit: 25) { id title author { name } comments(limit: 5) { name body } article_tags { tag { name } } } }',
      goal: 1,
      handwritten: { text: NESTED, values: [], goal: 1 },
    },
    {
      ...list,
      name: 'filtered',
      title: '25 of a status over so many views, sorted',
      parameters: {
        fields: 'id,title,views,published_on',
        filter: { status: { _eq: 'published' }, views: { _gte: '60000' } },
        sort: '-views,id',
        limit: '25',
      },
      goal: 0.97,
      handwritten: { text: FILTERED, values: ['published', '60000'], goal: 0.95 },
    },
    {
      ...list,
      name: 'grouped',
      title: 'number of items of each status',
      parameters: { aggregate: { count: '*' }, groupBy: 'status' },
      goal: 0.97,
    },
  ];
}

/** The paths for Sluice, one for each key. */
export function pathsOf({ collection, keys, parameters }: ReadRequest): string[] {
  const query = qs.stringify(parameters, { addQueryPrefix: true });
  const base = `/items/${collection}`;
  return keys === null ? [base + query] : keys.map((key) => `${base}/${key}${query}`);
}
