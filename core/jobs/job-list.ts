/**
 * The list of jobs of `GET /jobs`, with the same filters, sorting and permissions as all other
 * lists.
 */
import * as v from 'valibot';
import { ANONYMOUS, type Caller, type Grant } from '#core/access/grants.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery, ServiceError } from '#core/base/errors/service-error.ts';
import type { Pool } from '#core/database/pool.ts';
import { join, raw, render, type Sql, sql } from '#core/database/sql.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { systemTable } from '#core/model/system/system-table.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { Query } from '#core/query/query.ts';
import type { ReadTarget } from '#core/read/plan/scope.ts';
import { type ReadableRows, readableRows, type TableRows } from '#core/read/sql/table-rows.ts';
import { type Job, jobColumns, type PlacedJob } from './job.ts';
import { catalogOf, FIELDS, JOBS } from './job-collection.ts';
import { type JobCondition, jobCondition, partsOf, UNPROBED } from './job-condition.ts';
import { JobFinder, orderOf, STEPS, type Steps, sortColumn } from './job-finder.ts';
import { type Anchor, either, prefixConditions, rangesAfter } from './job-page.ts';

const uuid = v.pipe(v.string(), v.uuid());

const SHOWN: ReadonlySet<string> = new Set(Object.keys(FIELDS));
const OWN_JOBS: Grant = [
  { fields: SHOWN, rule: parseFilter({ user: { _eq: '$CURRENT_USER' } }, 'rule') },
];
const ALL_JOBS: Grant = [{ fields: SHOWN, rule: null }];

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

/**
 * Maximum jobs of a page whose sequences are read before the jobs; a larger list uses one
 * statement.
 */
const PAGE_MAX = 10_000;
/** Maximum waiting jobs of a queue whose position a list contains. */
const COUNTED_POSITIONS = 1_000;

/**
 * Maximum characters of the jobs of a list, and the characters of a job without its errors and
 * result.
 */
const LIST_SIZE = 64 * 1024 * 1024;
const JOB_SIZE = 600;

/** The jobs that a caller may see and that meet a query, for other statements. */
export interface JobSelection extends Pick<TableRows, 'from' | 'column'> {
  readonly conditions: readonly Sql[];
}

/** Lists the jobs of one schema. */
export class JobList {
  readonly #pool: Pool;
  readonly #schema: string;
  readonly #jobs: Sql;
  readonly #catalog: Catalog;
  readonly #steps: Steps;
  /** The jobs of all users. */
  readonly #table: TableRows;

  constructor(pool: Pool, schema: string, steps: Steps = STEPS) {
    this.#steps = steps;
    this.#pool = pool;
    this.#schema = schema;
    this.#jobs = systemTable(schema, 'jobs');
    this.#catalog = catalogOf(schema);
    this.#table = readableRows(this.#targetOf(ANONYMOUS, ALL_JOBS));
  }

  /**
   * A job that is visible to the caller: a user's own job, and any job for administrators; null
   * when not found.
   */
  find(caller: Caller, id: string): Promise<PlacedJob | null> {
    return this.#find(this.#targetOf(caller), id);
  }

  /**
   * A job that the caller has just submitted, even as an anonymous caller; null when it no longer
   * exists.
   */
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
          END AS position, NULL AS worker
        FROM ${from}${where([sql`${named('id')} = ${id}`])}`),
    );
    return rows[0] ?? null;
  }

  /**
   * The jobs of a query, the latest first by default.
   * @throws ServiceError FORBIDDEN for a field that jobs do not have; INVALID_QUERY for an invalid
   *   value, and for `after` with several sort fields, an offset, or an unknown job
   */
  async list(caller: Caller, query: JobQuery): Promise<readonly PlacedJob[]> {
    const target = this.#targetOf(caller);
    // All parts of the query are first checked with the caller's permissions.
    const rows = readableRows(target, query);
    const { limit, offset, after = null } = query;
    const order = orderOf(query.sort);
    const anchor = after === null ? null : await this.#anchor(rows, query, after);
    if (order === null || limit === null || limit > PAGE_MAX) {
      return await this.#placed(await this.#all(rows, query, anchor));
    }
    const finder = new JobFinder(this.#pool, this.#table, this.#steps);
    const conditions = this.#conditions(caller, query);
    const found: string[] = [];
    for (const range of this.#ranges(query, anchor, this.#table)) {
      const within = range.map((condition) => ({
        ...{ ...UNPROBED, condition },
        ...{ column: 'sequence', isRange: true },
      }));
      const page = { conditions: [...conditions, ...within], order, offset };
      if (found.length < limit) {
        found.push(...(await finder.find({ ...page, limit: limit - found.length })));
      }
    }
    const jobs = await this.#read(sql`SELECT ${jobColumns(this.#schema)} FROM ${this.#jobs}
      JOIN unnest(${found}::bigint[]) WITH ORDINALITY AS page(sequence, place) USING (sequence)
      ORDER BY place`);
    return await this.#placed(jobs);
  }

  /**
   * The jobs of a query as conditions on the table.
   * @throws ServiceError as {@link list}
   */
  selection(caller: Caller, query: Pick<JobQuery, 'filter' | 'search'>): JobSelection {
    // The caller's permissions are checked for each field of the filter.
    readableRows(this.#targetOf(caller), { filter: query.filter, sort: [] });
    const { from, column } = this.#table;
    const conditions = this.#conditions(caller, query).map(({ condition }) => condition);
    return { from, column, conditions };
  }

  /** The conditions of the query, and those of the caller's permissions. */
  #conditions(
    caller: Caller,
    { filter, search }: Pick<JobQuery, 'filter' | 'search'>,
  ): readonly JobCondition[] {
    const everybody = this.#targetOf(caller, ALL_JOBS);
    const conditions = partsOf(filter).map((part) => {
      const { condition } = readableRows(everybody, { filter: part, sort: [] });
      return jobCondition(part, condition ?? sql`true`, this.#table.column);
    });
    if (search !== null) {
      const branches = prefixConditions(search, this.#table.column);
      conditions.push({ ...UNPROBED, condition: either(branches), column: null, branches });
    }
    const own = readableRows(this.#targetOf(caller)).condition;
    if (own === null) return conditions;
    const kept = { condition: own, column: 'user', isRange: true, isEqual: true, hasFile: false };
    return [{ ...kept, branches: [own] }, ...conditions];
  }

  #ranges(
    { sort }: JobQuery,
    anchor: Anchor | null,
    { column: named }: TableRows,
  ): readonly (readonly Sql[])[] {
    const name = sortColumn(sort);
    return anchor === null
      ? [[]]
      : rangesAfter(sort, anchor, name === null ? null : named(name), named);
  }

  /** A list that may be long, or has an order by more than fields, in one statement. */
  async #all(rows: ReadableRows, query: JobQuery, anchor: Anchor | null): Promise<readonly Job[]> {
    const { from, where, order, column: named } = rows;
    const { limit, offset, sort, search } = query;
    const sequence = named('sequence');
    const last = (sort.at(-1)?.descending ?? true) ? sql`${sequence} DESC` : sequence;
    const own = search === null ? [] : [either(prefixConditions(search, named))];
    const jobs: Job[] = [];
    for (const range of this.#ranges(query, anchor, rows)) {
      const left = limit === null ? null : limit - jobs.length;
      if (left === 0) break;
      const page = sql`SELECT ${jobColumns(this.#schema)} FROM (
          SELECT sequence, row_number() OVER () AS place FROM (
            SELECT ${sequence} FROM ${from}${where([...range, ...own])}
            ORDER BY ${join([...order, last])} LIMIT ${left} OFFSET ${offset}) AS ordered) AS page
        JOIN ${this.#jobs} USING (sequence) ORDER BY place`;
      for (const job of await this.#read(page)) jobs.push(job);
    }
    return jobs;
  }

  /** The jobs of a page, in its order. @throws ServiceError CONTENT_TOO_LARGE */
  async #read(page: Sql): Promise<Job[]> {
    const size = sql`${raw(String(JOB_SIZE))} + length(failures::text)
      + coalesce(length(error::text), 0) + coalesce(length(result::text), 0)`;
    // One row more than allowed is read, so that a list is refused instead of truncated.
    const { rows } = await this.#pool.query<Job & { own: number; total: number }>(
      render(sql`SELECT * FROM (
          SELECT *, (${size})::float8 AS own,
            (sum(${size}) OVER (ROWS UNBOUNDED PRECEDING))::float8 AS total
          FROM (${page}) AS page) AS counted
        WHERE total - own <= ${raw(String(LIST_SIZE))}`),
    );
    if ((rows.at(-1)?.total ?? 0) > LIST_SIZE) {
      const why = reason('job_list_too_large', { limit: LIST_SIZE });
      throw new ServiceError('CONTENT_TOO_LARGE', { limit: LIST_SIZE, reason: why });
    }
    return rows.map(({ own: _, total: __, ...job }) => job);
  }

  /** The position of the job after which a list begins. */
  async #anchor(
    { from, where, column: named }: ReadableRows,
    { sort, offset }: JobQuery,
    after: string,
  ): Promise<Anchor> {
    if (sort.length > 1) throw invalidQuery(reason('after_needs_single_sort'));
    if (offset > 0) throw invalidQuery(reason('after_excludes_offset'));
    if (!v.is(uuid, after)) throw invalidQuery(reason('after_job_id_expected'));
    const name = sortColumn(sort);
    const value = name === null ? sql`NULL` : sql`${named(name)}::text`;
    const { rows } = await this.#pool.query<Anchor>(
      render(sql`SELECT ${named('sequence')}, ${value} AS value
        FROM ${from}${where([sql`${named('id')} = ${after}`])}`),
    );
    if (rows[0] === undefined) throw invalidQuery(reason('after_job_not_in_list'));
    return rows[0];
  }

  async #placed(jobs: readonly Job[]): Promise<readonly PlacedJob[]> {
    const waiting = jobs.filter(({ state }) => state === 'waiting');
    if (waiting.length === 0) return jobs.map((job) => ({ ...job, position: null, worker: null }));
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
    return jobs.map((job) => ({
      ...job,
      position: positions.get(job.id) ?? null,
      worker: null,
    }));
  }

  #targetOf(caller: Caller, grant = caller.admin ? ALL_JOBS : OWN_JOBS): ReadTarget {
    const grants = { of: (name: string) => (name === JOBS ? grant : null) };
    return { catalog: this.#catalog, grants, caller, bounds: BOUNDS, collection: JOBS };
  }
}
