/**
 * Finds the sequences of the jobs of a page. PostgreSQL estimates combined conditions poorly, and
 * may scan a million jobs in one order to find a few. So cheap searches come first:
 * - an index that finds few jobs;
 * - a short walk along the index of the order;
 * - a walk for each value of the first sort field.
 *
 * Only when these do not fill the page, all matching jobs are sorted.
 */
import type { Pool } from '#core/database/pool.ts';
import { join, raw, render, type Sql, sql } from '#core/database/sql.ts';
import type { SortTerm } from '#core/query/query.ts';
import type { TableRows } from '#core/read/sql/table-rows.ts';
import { FIELDS } from './job-collection.ts';
import type { JobCondition } from './job-condition.ts';

/** One term of an order; the last one is always `sequence`, which is unique. */
export interface OrderTerm {
  readonly column: string;
  readonly descending: boolean;
}

type Part = Pick<PageRequest, 'limit' | 'offset'>;
/** Finds jobs along an index, starting where the hints hold. */
type Walk = (hints: readonly Sql[], part: Part) => Promise<readonly string[]>;

export interface PageRequest {
  readonly conditions: readonly JobCondition[];
  readonly order: readonly OrderTerm[];
  readonly limit: number;
  readonly offset: number;
}

/** Limits of the cheap searches before all matching jobs are sorted. */
export interface Steps {
  /** Maximum jobs that are found before they are sorted. */
  readonly few: number;
  /** Maximum jobs that a walk scans. */
  readonly walked: number;
  /** Maximum values of the first sort field that are tried successively. */
  readonly values: number;
}

export const STEPS: Steps = { few: 5_000, walked: 8_000, values: 12 };

/** Columns with few values, the most selective ones first. */
const COMMON = ['user', 'collection', 'state', 'kind', 'attempt', 'file_format', 'queue'];
const DATES = ['created_on', 'started_on', 'finished_on'];
/**
 * A job with a file has all these columns, unless it is in the index `system_jobs_incomplete_file`.
 */
const FILES = ['file_name', 'file_size', 'file_format'];
/**
 * Maximum interval between the dates of a job that is not slow, as in the index `system_jobs_slow`.
 */
const APART = raw("interval '1 hour'");

/** The column of the first sort field; null without one. */
export function sortColumn([term]: readonly SortTerm[]): string | null {
  const name = term?.path.join('.');
  return Object.entries(FIELDS).find(([field]) => field === name)?.[1][0] ?? null;
}

/** The order of a list, by default the latest job first; null when it contains more than fields. */
export function orderOf(sort: readonly SortTerm[]): readonly OrderTerm[] | null {
  const terms: OrderTerm[] = [];
  for (const term of sort) {
    const { descending } = term;
    const column = sortColumn([term]);
    if (column === null) return null;
    if (terms.every((one) => one.column !== column)) terms.push({ column, descending });
  }
  // `sequence` has the direction of the last term, so that one index serves both directions.
  const descending = sort.at(-1)?.descending ?? true;
  return [...terms, { column: 'sequence', descending }];
}

function all(conditions: readonly Sql[]): Sql {
  return conditions.length === 0 ? sql`true` : sql`(${join(conditions, ' AND ')})`;
}

/** Whether the index of a column (with `sequence`) contains the jobs as one range. */
function isServed({ column, isRange }: JobCondition, index: string): boolean {
  return isRange && (column === index || column === 'sequence');
}

const conditionOf = ({ condition }: JobCondition) => condition;

export class JobFinder {
  readonly #pool: Pool;
  readonly #table: TableRows;
  readonly #steps: Steps;

  /** @param table the jobs of all users */
  constructor(pool: Pool, table: TableRows, steps: Steps) {
    this.#pool = pool;
    this.#steps = steps;
    this.#table = table;
  }

  /** The `sequence` of each job of a page, in its order. */
  async find(page: PageRequest): Promise<readonly string[]> {
    const few = await this.#few(page.conditions);
    if (few !== null) return few.length === 0 ? [] : await this.#sorted(page, few);
    return (await this.#walked(page)) ?? (await this.#sorted(page, null));
  }

  async #sequences(statement: Sql): Promise<readonly string[]> {
    const { rows } = await this.#pool.query<{ sequence: string }>(render(statement));
    return rows.map(({ sequence }) => sequence);
  }

  #terms(order: readonly OrderTerm[], named = this.#table.column): Sql {
    return join(
      order.map(({ column, descending }) =>
        descending ? sql`${named(column)} DESC` : named(column),
      ),
    );
  }

  /** The jobs that satisfy one of the conditions, when they are few. */
  async #few(conditions: readonly JobCondition[]): Promise<readonly string[] | null> {
    const { from, column: named } = this.#table;
    const probed = conditions.filter(({ branches }) => branches.length > 0);
    if (probed.length === 0) return null;
    const probes = probed.map(({ condition, branches, column, isRange }) => {
      // The order makes PostgreSQL use the index even when it estimates many rows.
      const isOrdered = isRange && column !== null && branches.includes(condition);
      const order = isOrdered ? sql` ORDER BY ${named(column)}, ${named('sequence')}` : sql``;
      const parts = branches.map(
        (branch) =>
          sql`(SELECT ${named('sequence')} FROM ${from} WHERE ${branch}${order} LIMIT ${this.#steps.few + 1})`,
      );
      return sql`SELECT CASE WHEN cardinality(found) <= ${this.#steps.few} THEN found END AS found
        FROM (SELECT ARRAY(${join(parts, ' UNION ALL ')}) AS found) AS probe`;
    });
    const { rows } = await this.#pool.query<{ found: string[] }>(
      render(sql`SELECT found FROM (${join(probes, ' UNION ALL ')}) AS probes
        WHERE found IS NOT NULL ORDER BY cardinality(found) LIMIT 1`),
    );
    return rows[0]?.found ?? null;
  }

  /**
   * The page from sorting all matching jobs.
   * @param few jobs that contain all matching ones
   */
  async #sorted(
    { conditions, order, limit, offset }: PageRequest,
    few: readonly string[] | null,
  ): Promise<readonly string[]> {
    const { from, column: named } = this.#table;
    const among = few === null ? [] : [sql`${named('sequence')} = ANY(${few}::bigint[])`];
    const columns = join(order.map(({ column }) => named(column)));
    // The offset prevents PostgreSQL from using the order for the search.
    return await this.#sequences(sql`SELECT sequence FROM (SELECT ${columns} FROM ${from}
        WHERE ${all([...among, ...conditions.map(conditionOf)])} OFFSET 0) AS found
      ORDER BY ${this.#terms(order, (name) => raw(`found."${name}"`))} LIMIT ${limit} OFFSET ${offset}`);
  }

  /** The page from an index of its order; null when it is not found within the limits. */
  async #walked(page: PageRequest): Promise<readonly string[] | null> {
    const [first, second] = page.order;
    if (first === undefined || second === undefined) return await this.#along(page, null);
    const pinned = page.conditions.find(
      ({ column, isEqual }) => isEqual && column === first.column,
    );
    if (pinned !== undefined) return await this.#walked({ ...page, order: page.order.slice(1) });
    const isIndexed = page.order.length === 2 && first.descending === second.descending;
    const isSimple = page.conditions.every((one) => isServed(one, first.column));
    if (isIndexed && (isSimple || !COMMON.includes(first.column))) {
      return await this.#along(page, first.column);
    }
    if (COMMON.includes(first.column)) return await this.#byValue(page, first);
    return await this.#ahead(page, first);
  }

  /** Maximum jobs that a walk scans. */
  #most(offset: number): number {
    return this.#steps.walked + Math.min(8 * offset, 4 * this.#steps.walked);
  }

  /**
   * Walks along the index of a column and `sequence`; null: the index of `sequence`, or of a single
   * value.
   */
  async #along(
    { conditions, order, limit, offset }: PageRequest,
    sorted: string | null,
  ): Promise<readonly string[] | null> {
    const { from, column: named } = this.#table;
    const single =
      sorted === null
        ? COMMON.flatMap((name) =>
            conditions.filter(({ column, isEqual }) => isEqual && column === name),
          )[0]
        : undefined;
    const isInIndex = (one: JobCondition) => one === single || isServed(one, sorted ?? 'sequence');
    const within = conditions.filter(isInIndex).map(conditionOf);
    const others = conditions.filter((one) => !isInIndex(one));
    const [term] = order;
    const terms = this.#terms(
      single === undefined || single.column === null || term === undefined
        ? order
        : [{ ...term, column: single.column }, ...order],
    );
    if (others.length === 0) {
      return await this.#sequences(sql`SELECT ${named('sequence')} FROM ${from} WHERE ${all(within)}
        ORDER BY ${terms} LIMIT ${limit} OFFSET ${offset}`);
    }
    const columns = join(order.map(({ column }) => named(column)));
    const walk = (hints: readonly Sql[], { limit, offset }: Part) =>
      this.#sequences(sql`SELECT sequence FROM (
        SELECT ${columns}, ${all(others.map(conditionOf))} AS found FROM ${from}
        WHERE ${all([...within, ...hints])} ORDER BY ${terms} LIMIT ${this.#most(offset)}) AS walked
      WHERE found ORDER BY ${this.#terms(order, (name) => raw(`walked."${name}"`))}
      LIMIT ${limit} OFFSET ${offset}`);
    return await this.#hinted({ conditions, order, limit, offset }, walk);
  }

  /**
   * The page of a walk. Conditions on other dates, or on files, restrict its start. A separate
   * search finds the exceptions that the restriction omits.
   */
  async #hinted(page: PageRequest, walk: Walk): Promise<readonly string[] | null> {
    const { conditions, order, limit, offset } = page;
    const [first] = order;
    const isOfFiles = FILES.includes(first?.column ?? '');
    const hints = isOfFiles
      ? this.#fileHints(conditions, first)
      : await this.#hints(conditions, first?.column ?? 'sequence');
    const others = hints.length === 0 ? null : await this.#exceptions(conditions, isOfFiles);
    if (others === null || others.length === 0) {
      const found = await walk(others === null ? [] : hints, { limit, offset });
      return found.length === limit ? found : null;
    }
    const most = limit + offset;
    const found = await walk(hints, { limit: most, offset: 0 });
    return found.length === most ? await this.#sorted(page, [...found, ...others]) : null;
  }

  /**
   * Slow jobs, or jobs with incomplete files, that match the conditions; null when they are many.
   */
  async #exceptions(
    conditions: readonly JobCondition[],
    isOfFiles: boolean,
  ): Promise<readonly string[] | null> {
    const { from, column: named } = this.#table;
    const [created, started, finished] = DATES.map(named);
    const [name, size, format] = FILES.map(named);
    const slow = sql`(${started} BETWEEN ${created} AND ${finished}
      AND ${finished} - ${created} <= '1 hour') IS NOT TRUE`;
    const incomplete = sql`(${named('kind')} = 'import' OR ${name} IS NOT NULL OR ${size} IS NOT NULL)
      AND (${name} IS NULL OR ${size} IS NULL OR ${format} IS NULL)`;
    const { rows } = await this.#pool.query<{ others: string[]; count: number }>(
      render(sql`SELECT coalesce(array_agg(sequence) FILTER (WHERE found), '{}') AS others,
          count(*)::int AS count
        FROM (SELECT ${named('sequence')}, ${all(conditions.map(conditionOf))} AS found FROM ${from}
          WHERE ${isOfFiles ? incomplete : slow}
          ORDER BY ${named('sequence')} LIMIT ${this.#steps.few + 1}) AS exceptions`),
    );
    const [{ others, count } = { others: [], count: 0 }] = rows;
    return count > this.#steps.few ? null : others;
  }

  /** In a descending order, jobs without a file come first, and can be skipped. */
  #fileHints(conditions: readonly JobCondition[], first: OrderTerm | undefined): readonly Sql[] {
    if (first?.descending !== true || !conditions.some(({ hasFile }) => hasFile)) return [];
    return [sql`${this.#table.column(first.column)} IS NOT NULL`];
  }

  /**
   * The range in an order that contains all jobs matching conditions on other dates, except slow
   * jobs.
   */
  async #hints(conditions: readonly JobCondition[], sorted: string): Promise<readonly Sql[]> {
    const { from, column: named } = this.#table;
    if (sorted !== 'sequence' && !DATES.includes(sorted)) return [];
    const hints: Sql[] = [];
    for (const { condition, column, isRange } of conditions) {
      if (!isRange || column === null || column === sorted || !DATES.includes(column)) continue;
      const date = named(column);
      const { rows } = await this.#pool.query<{ first: string; last: string }>(
        render(sql`SELECT (min(${date}) - ${APART})::text AS first, (max(${date}) + ${APART})::text AS last
          FROM ${from} WHERE ${condition}`),
      );
      const [{ first, last } = { first: null, last: null }] = rows;
      if (sorted === 'sequence') {
        hints.push(sql`${named(sorted)} >= ${this.#nearest(sql`>= ${first}`, 'min')}`);
        hints.push(sql`${named(sorted)} <= ${this.#nearest(sql`<= ${last}`, 'max')}`);
      } else hints.push(sql`${named(sorted)} BETWEEN ${first} AND ${last}`);
    }
    return hints;
  }

  /** The first or last \`sequence\` of the jobs created after, or before, a time. */
  #nearest(within: Sql, end: 'min' | 'max'): Sql {
    const { from, column: named } = this.#table;
    const way = raw(end === 'min' ? 'ASC' : 'DESC');
    return sql`(SELECT ${raw(end)}(sequence) FROM (
      SELECT ${named('sequence')} FROM ${from} WHERE ${named('created_on')} ${within}
      ORDER BY ${named('created_on')} ${way}, ${named('sequence')} ${way} LIMIT 100) AS nearest)`;
  }

  /**
   * Walks through the values of the first term successively: the jobs of each value are in the
   * remaining order.
   */
  async #byValue(page: PageRequest, first: OrderTerm): Promise<readonly string[] | null> {
    const { column: named } = this.#table;
    const { conditions, limit, offset } = page;
    const column = named(first.column);
    const order = page.order.slice(1);
    const found: string[] = [];
    const values = await this.#values(conditions, first);
    for (const value of values) {
      const condition = value === null ? sql`${column} IS NULL` : sql`${column} = ${value}`;
      const own = {
        condition,
        column: first.column,
        isRange: true,
        isEqual: value !== null,
        hasFile: value === 'import' && first.column === 'kind',
      };
      const rest = { order, offset: 0, limit: limit + offset - found.length };
      const request = { ...rest, conditions: [...conditions, { ...own, branches: [] }] };
      const few = await this.#few([{ ...own, branches: [condition] }]);
      if (few?.length === 0) continue;
      const part = few === null ? await this.#walked(request) : await this.#sorted(request, few);
      if (part === null) return null;
      found.push(...part);
      if (found.length >= limit + offset) return found.slice(offset);
    }
    return values.length < this.#steps.values ? found.slice(offset) : null;
  }

  /** The first values of a column, in its order. */
  async #values(
    conditions: readonly JobCondition[],
    { column: name, descending }: OrderTerm,
  ): Promise<readonly (string | null)[]> {
    const { from, column: named } = this.#table;
    const column = named(name);
    const own = conditions.filter((one) => isServed(one, name)).map(conditionOf);
    const next = (further: Sql) => sql`SELECT ${column} AS value FROM ${from}
      WHERE ${all([...own, further])} ORDER BY ${column}${descending ? sql` DESC` : sql``} LIMIT 1`;
    const compared = descending ? raw('<') : raw('>');
    const { rows } = await this.#pool.query<{ value: string }>(
      render(sql`WITH RECURSIVE found AS (
          (${next(sql`${column} IS NOT NULL`)}) UNION ALL
          SELECT (${next(sql`${column} ${compared} found.value`)}) FROM found WHERE value IS NOT NULL)
        SELECT value::text FROM found WHERE value IS NOT NULL LIMIT ${this.#steps.values}`),
    );
    const values = rows.map(({ value }) => value);
    if (descending) return [null, ...values];
    return values.length < this.#steps.values ? [...values, null] : values;
  }

  /**
   * Walks along the index of the first term. It then sorts the jobs of the values that the walk has
   * completely scanned.
   */
  async #ahead(
    { conditions, order, limit, offset }: PageRequest,
    first: OrderTerm,
  ): Promise<readonly string[] | null> {
    const { from, column: named } = this.#table;
    const isWithin = (one: JobCondition) => isServed(one, first.column);
    const within = conditions.filter(isWithin).map(conditionOf);
    const others = conditions.filter((one) => !isWithin(one)).map(conditionOf);
    const columns = join(order.map(({ column }) => named(column)));
    const path = [first, { column: 'sequence', descending: first.descending }];
    const walked = (name: string) => raw(`walked."${name}"`);
    const walk = (hints: readonly Sql[], { limit, offset }: Part) => {
      const steps = this.#most(offset);
      return this.#sequences(sql`WITH walked AS MATERIALIZED (
        SELECT ${columns}, ${all(others)} AS found FROM ${from}
        WHERE ${all([...within, ...hints])} ORDER BY ${this.#terms(path)} LIMIT ${steps}),
      last AS (SELECT ${walked(first.column)} AS value FROM walked
        ORDER BY ${this.#terms(path, walked)} OFFSET ${steps - 1})
      SELECT sequence FROM walked WHERE found
        AND NOT EXISTS (SELECT FROM last WHERE last.value IS NOT DISTINCT FROM ${walked(first.column)})
      ORDER BY ${this.#terms(order, walked)} LIMIT ${limit} OFFSET ${offset}`);
    };
    return await this.#hinted({ conditions, order, limit, offset }, walk);
  }
}
