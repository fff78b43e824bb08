/** The list of jobs of `GET /jobs`: filters, sorting and rights as for all other lists. */
import * as v from 'valibot';
import type { Caller, Grant } from '#core/access/grants.ts';
import type { Catalog, Collection, ColumnField } from '#core/catalog/catalog.ts';
import type { ColumnDescriptor, TableDescriptor } from '#core/catalog/descriptor.ts';
import { typing } from '#core/catalog/field-type.ts';
import type { Pool } from '#core/database/pool.ts';
import { join, raw, render, type Sql, sql } from '#core/database/sql.ts';
import { invalidQuery, ServiceError } from '#core/errors/service-error.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { ReadTarget } from '#core/query/plan/scope.ts';
import type { Query, SortTerm } from '#core/query/query.ts';
import { type ReadableRows, readableRows } from '#core/query/sql/table-rows.ts';
import { systemTable } from '#core/system/system-table.ts';
import { type Job, jobColumns, type PlacedJob } from './job.ts';
import { type Anchor, either, prefixConditions, rangesAfter } from './job-page.ts';

const JOBS = 'system_jobs';

/** The fields for filter and sort: the column of each, and its type. */
const FIELDS = {
  id: ['id', 'uuid'],
  kind: ['kind', 'varchar'],
  queue: ['queue', 'varchar'],
  state: ['state', 'varchar'],
  user: ['user', 'uuid'],
  collection: ['collection', 'varchar'],
  file_name: ['file_name', 'varchar'],
  file_size: ['file_size', 'int8'],
  file_format: ['file_format', 'varchar'],
  created_on: ['created_on', 'timestamptz'],
  started_on: ['started_on', 'timestamptz'],
  finished_on: ['finished_on', 'timestamptz'],
  attempts: ['attempt', 'int4'],
} as const satisfies Readonly<Record<string, readonly [string, string]>>;

const uuid = v.pipe(v.string(), v.uuid());

function column([name, typeName]: readonly [string, string]): ColumnDescriptor {
  return {
    ...{ name, typeName, position: 0, typeSchema: 'pg_catalog', typeText: typeName },
    ...{ typeKind: 'b', elementType: null, domain: null, enumValues: null, nullable: true },
    ...{ defaultExpression: null, generatedExpression: null, identity: null, sequence: null },
    ...{ maxLength: null, numericPrecision: null, numericScale: null, comment: null },
  };
}

function field(name: string, shape: readonly [string, string]): ColumnField {
  const described = column(shape);
  return { name, column: described, ...typing(described, []), special: [], meta: null };
}

/** A catalog with only the table of jobs, which no other route serves. */
function catalogOf(schema: string): Catalog {
  const fields = Object.entries(FIELDS).map(([name, shape]) => field(name, shape));
  const table: TableDescriptor = {
    ...{ schema, name: JOBS, comment: null, primaryKey: ['id'] },
    kind: 'table',
    ...{ columns: fields.map((one) => one.column), uniques: [], indexes: [], checks: [] },
    ...{ foreignKeys: [], userTriggers: false, estimatedRows: -1 },
  };
  const collection: Collection = {
    ...{ name: JOBS, table, meta: null, system: true, singleton: false },
    fields: new Map(fields.map((one) => [one.name, one])),
    primaryKey: fields.slice(0, 1),
    descriptor: { name: JOBS, table, meta: null, fields: [], relations: [] },
  };
  const collections = new Map([[JOBS, collection]]);
  return { version: 0, collections, relations: new Map(), leftOut: [], warnings: [] };
}

const SHOWN: ReadonlySet<string> = new Set(Object.keys(FIELDS));
const OWN_JOBS: Grant = [
  { fields: SHOWN, rule: parseFilter({ user: { _eq: '$CURRENT_USER' } }, 'rule') },
];
const ALL_JOBS: Grant = [{ fields: SHOWN, rule: null }];

/** The column of the first sort field; null without one. */
function sortColumn([term]: readonly SortTerm[]): string | null {
  const name = term?.path.join('.');
  return Object.entries(FIELDS).find(([field]) => field === name)?.[1][0] ?? null;
}

/** Jobs have no relations. */
const BOUNDS = {
  limitDefault: 100,
  limitMax: undefined,
  maxDepth: 1,
  maxJsonDepth: 1,
  maxFields: 100,
};

/** The query of a list of jobs. */
export interface JobQuery extends Pick<Query, 'filter' | 'sort' | 'limit' | 'offset' | 'search'> {
  /** The id of the job after which the list begins; by default the first one. */
  readonly after?: string | null;
}

/** Newest jobs among which a search looks before it uses the indexes of prefixes. */
const SEARCHED_FIRST = 5_000;
/** Jobs that are few enough to be found before they are filtered and sorted. */
const FEW = 5_000;
/** Waiting jobs of a queue that get their position in a list. */
const COUNTED_POSITIONS = 1_000;

/** Characters of the jobs of a list, and of a job without its errors and its result. */
const LIST_SIZE = 64 * 1024 * 1024;
const JOB_SIZE = 600;

/** Lists the jobs of one schema. */
export class JobList {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #jobs: Sql;
  readonly #catalog: Catalog;

  constructor(pool: Pool, schema: string) {
    this.#pool = pool;
    this.#schema = schema;
    this.#jobs = systemTable(schema, 'jobs');
    this.#catalog = catalogOf(schema);
  }

  /** A job that the caller may see: its own, for administrators any; null when there is none. */
  find(caller: Caller, id: string): Promise<PlacedJob | null> {
    return this.#find(this.#targetOf(caller), id);
  }

  /** A job that the caller has just submitted, also one who is no user; null when it is gone. */
  submitted(caller: Caller, id: string): Promise<PlacedJob | null> {
    return this.#find(this.#targetOf(caller, ALL_JOBS), id);
  }

  async #find(target: ReadTarget, id: string): Promise<PlacedJob | null> {
    const { from, where, column: named } = readableRows(target);
    const [queue, turn, sequence] = [named('queue'), named('turn'), named('sequence')];
    const { rows } = await this.#pool.query<PlacedJob>(
      render(sql`SELECT ${jobColumns(this.#schema)}, CASE ${named('state')} WHEN 'waiting' THEN (
          SELECT count(*) + 1 FROM ${this.#jobs} AS w WHERE w.state = 'waiting'
            AND w.queue = ${queue} AND (w.turn, w.sequence) < (${turn}, ${sequence}))::float8
          END AS position
        FROM ${from}${where([sql`${named('id')} = ${id}`])}`),
    );
    return rows[0] ?? null;
  }

  /**
   * The jobs of a query, the latest first when it names no order.
   * @throws ServiceError FORBIDDEN for a field that jobs do not have; INVALID_QUERY for a value that
   *   does not fit, and for `after` with several sort fields, an offset, or an unknown job
   */
  async list(caller: Caller, query: JobQuery): Promise<readonly PlacedJob[]> {
    const target = this.#targetOf(caller);
    const rows = readableRows(target, query);
    const found = query.search === null ? null : prefixConditions(query.search, rows.column);
    const isPlain = query.filter === null && query.sort.length === 0 && !query.after;
    const jobs =
      found !== null && isPlain
        ? await this.#searched(rows, query, found)
        : await this.#pages(rows, query, { found, isOfUser: !caller.admin });
    return await this.#placed(jobs);
  }

  async #pages(
    rows: ReadableRows,
    query: JobQuery,
    { found, isOfUser }: { readonly found: readonly Sql[] | null; readonly isOfUser: boolean },
  ): Promise<readonly Job[]> {
    const { from, where, order, column: named } = rows;
    const { limit, offset, sort, after = null } = query;
    const anchor = after === null ? null : await this.#anchor(rows, query, after);
    const name = sortColumn(sort);
    const sorted = name === null ? null : named(name);
    const ranges = anchor === null ? [[]] : rangesAfter(sort, anchor, sorted, named);
    // Ties have the direction of the last term, so that one index serves both directions.
    const descending = sort.at(-1)?.descending ?? true;
    const sequence = named('sequence');
    const orderBy = join([...order, descending ? sql`${sequence} DESC` : sequence]);
    // All jobs of one user may be few; the default order has an index for each user.
    const few = found ?? (isOfUser && sort.length > 0 ? [sql`true`] : null);
    const own = few === null ? [] : [await this.#matching(rows, few)];
    const jobs: Job[] = [];
    for (const range of ranges) {
      const left = limit === null ? null : limit - jobs.length;
      if (left === 0) break;
      // The jobs that an offset skips are not read themselves, where an index has the order.
      const page = sql`SELECT ${jobColumns(this.#schema)} FROM (
          SELECT sequence, row_number() OVER () AS place FROM (
            SELECT ${sequence} FROM ${from}${where([...range, ...own])}
            ORDER BY ${orderBy} LIMIT ${left} OFFSET ${offset}) AS ordered) AS page
        JOIN ${this.#jobs} USING (sequence) ORDER BY place`;
      for (const job of await this.#read(page)) jobs.push(job);
    }
    return jobs;
  }

  /**
   * A condition that holds for the jobs for which one of several holds. Few jobs are found first, by
   * their indexes: PostgreSQL knows little of how few they are, and would look for them through all
   * jobs in their order.
   */
  async #matching(
    { from, where, column: named }: ReadableRows,
    found: readonly Sql[],
  ): Promise<Sql> {
    const branches = found.map(
      (condition) =>
        sql`(SELECT ${named('sequence')} FROM ${from}${where([condition])} LIMIT ${FEW + 1})`,
    );
    const { rows } = await this.#pool.query<{ sequences: string[] | null }>(
      render(sql`SELECT CASE WHEN count(*) <= ${FEW} THEN coalesce(array_agg(sequence), '{}') END AS sequences
        FROM (${join(branches, ' UNION ALL ')}) AS found`),
    );
    const [{ sequences } = { sequences: null }] = rows;
    return sequences === null
      ? either(found)
      : sql`${named('sequence')} = ANY(${sequences}::bigint[])`;
  }

  /**
   * Jobs by a prefix, the latest first: among the newest, where a prefix of many jobs has its page,
   * else by the indexes of prefixes, which are quick when few jobs have it.
   */
  async #searched(
    { from, where, column: named }: ReadableRows,
    { limit, offset }: JobQuery,
    found: readonly Sql[],
  ): Promise<readonly Job[]> {
    const sequence = named('sequence');
    const page = sql`ORDER BY sequence DESC LIMIT ${limit} OFFSET ${offset}`;
    const newest = await this.#read(sql`SELECT ${jobColumns(this.#schema)} FROM ${this.#jobs}
      WHERE sequence IN (
        SELECT sequence FROM (
          SELECT ${sequence}, ${either(found)} AS found FROM ${from}${where([])}
          ORDER BY ${sequence} DESC LIMIT ${SEARCHED_FIRST}) AS newest
        WHERE found) ${page}`);
    if (limit !== null && newest.length === limit) return newest;
    const most = limit === null ? null : limit + offset;
    const branches = found.map(
      // The sum keeps PostgreSQL from searching by the order.
      (condition) => sql`(SELECT ${sequence} FROM ${from}${where([condition])}
        ORDER BY ${sequence} + 0 DESC LIMIT ${most})`,
    );
    return await this.#read(sql`SELECT ${jobColumns(this.#schema)} FROM ${this.#jobs}
      WHERE sequence IN (SELECT sequence FROM (${join(branches, ' UNION ')}) AS found ${page})
      ORDER BY sequence DESC`);
  }

  /** The jobs of a page, in its order. @throws ServiceError CONTENT_TOO_LARGE */
  async #read(page: Sql): Promise<Job[]> {
    const size = sql`${raw(String(JOB_SIZE))} + length(failures::text)
      + coalesce(length(error::text), 0) + coalesce(length(result::text), 0)`;
    // One job too many comes, so that a list is refused, and not cut.
    const { rows } = await this.#pool.query<Job & { own: number; total: number }>(
      render(sql`SELECT * FROM (
          SELECT *, (${size})::float8 AS own,
            (sum(${size}) OVER (ROWS UNBOUNDED PRECEDING))::float8 AS total
          FROM (${page}) AS page) AS counted
        WHERE total - own <= ${raw(String(LIST_SIZE))}`),
    );
    if ((rows.at(-1)?.total ?? 0) > LIST_SIZE) {
      const reason = `A list of jobs may have ${LIST_SIZE} characters; set a lower limit.`;
      throw new ServiceError('CONTENT_TOO_LARGE', { limit: LIST_SIZE, reason });
    }
    return rows.map(({ own: _, total: __, ...job }) => job);
  }

  /** Where the job stands after which a list begins. */
  async #anchor(
    { from, where, column: named }: ReadableRows,
    { sort, offset }: JobQuery,
    after: string,
  ): Promise<Anchor> {
    if (sort.length > 1) throw invalidQuery('"after" goes with one sort field.');
    if (offset > 0) throw invalidQuery('"after" goes without "offset" and "page".');
    if (!v.is(uuid, after)) throw invalidQuery('"after" must be the id of a job.');
    const name = sortColumn(sort);
    const value = name === null ? sql`NULL` : sql`${named(name)}::text`;
    const { rows } = await this.#pool.query<Anchor>(
      render(sql`SELECT ${named('sequence')}, ${value} AS value
        FROM ${from}${where([sql`${named('id')} = ${after}`])}`),
    );
    if (rows[0] === undefined) throw invalidQuery('"after" is no job of this list.');
    return rows[0];
  }

  async #placed(jobs: readonly Job[]): Promise<readonly PlacedJob[]> {
    const waiting = jobs.filter(({ state }) => state === 'waiting');
    if (waiting.length === 0) return jobs.map((job) => ({ ...job, position: null }));
    const queues = [...new Set(waiting.map(({ queue }) => queue))];
    const ids = waiting.map(({ id }) => id);
    const { rows } = await this.#pool.query<{ id: string; position: number }>(
      render(sql`SELECT w.id, w.position::float8 AS position
        FROM unnest(${queues}::text[]) AS q(name) CROSS JOIN LATERAL (
          SELECT id, row_number() OVER (ORDER BY turn, sequence) AS position
          FROM ${this.#jobs} WHERE state = 'waiting' AND queue = q.name
          ORDER BY turn, sequence LIMIT ${COUNTED_POSITIONS}) AS w
        WHERE w.id = ANY(${ids}::uuid[])`),
    );
    const positions = new Map(rows.map(({ id, position }) => [id, position]));
    return jobs.map((job) => ({ ...job, position: positions.get(job.id) ?? null }));
  }

  #targetOf(caller: Caller, grant = caller.admin ? ALL_JOBS : OWN_JOBS): ReadTarget {
    const grants = { of: (name: string) => (name === JOBS ? grant : null) };
    return { catalog: this.#catalog, grants, caller, bounds: BOUNDS, collection: JOBS };
  }
}
