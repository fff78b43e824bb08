/** The list of jobs of `GET /jobs`: filters, sorting and rights as for all other lists. */
import type { Caller, Grant } from '#core/access/grants.ts';
import type { Catalog, Collection, ColumnField } from '#core/catalog/catalog.ts';
import type { ColumnDescriptor, TableDescriptor } from '#core/catalog/descriptor.ts';
import { typing } from '#core/catalog/field-type.ts';
import { join, type Sql, sql } from '#core/database/sql.ts';
import { parseFilter } from '#core/query/parse/filter.ts';
import type { ReadTarget } from '#core/query/plan/scope.ts';
import type { Query } from '#core/query/query.ts';
import { readableRows } from '#core/query/sql/table-rows.ts';

const JOBS = 'system_jobs';

/** The fields for filter and sort: the column of each, and its type. */
const FIELDS: Readonly<Record<string, readonly [string, string]>> = {
  id: ['id', 'uuid'],
  kind: ['kind', 'varchar'],
  state: ['state', 'varchar'],
  collection: ['collection', 'varchar'],
  created_on: ['created_on', 'timestamptz'],
  started_on: ['started_on', 'timestamptz'],
  finished_on: ['finished_on', 'timestamptz'],
  attempts: ['attempt', 'int4'],
};

/** The owner of a job, which only the rule uses. */
const OWNER: readonly [string, string] = ['user', 'uuid'];

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
  const fields = Object.entries({ ...FIELDS, user: OWNER }).map(([name, shape]) =>
    field(name, shape),
  );
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

/** Jobs have no relations. */
const BOUNDS = {
  limitDefault: 100,
  limitMax: undefined,
  maxDepth: 1,
  maxJsonDepth: 1,
  maxFields: 100,
};

/** The query of a list of jobs. */
export type JobQuery = Pick<Query, 'filter' | 'sort' | 'limit' | 'offset'>;

/** Selects jobs from the table in a schema. */
export class JobRows {
  readonly #catalog: Catalog;

  constructor(schema: string) {
    this.#catalog = catalogOf(schema);
  }

  /**
   * `FROM … WHERE …` for the jobs that a caller may see: its own; administrators see all.
   * @throws ServiceError FORBIDDEN for a field that jobs do not have, INVALID_QUERY for a value
   *   that
   * does not fit
   */
  readable(caller: Caller, conditions: readonly Sql[]): Sql {
    const { from, where } = readableRows(this.#targetOf(caller));
    return sql`FROM ${from}${where(conditions)}`;
  }

  /**
   * The same for the jobs of a query, with its order and limit; the latest job first.
   * @throws ServiceError as {@link readable}
   */
  asked(caller: Caller, query: JobQuery): Sql {
    const { from, where, order, column: named } = readableRows(this.#targetOf(caller), query);
    const orderBy = join([...order, sql`${named('sequence')} DESC`]);
    const { limit, offset } = query;
    return sql`FROM ${from}${where([])} ORDER BY ${orderBy} LIMIT ${limit} OFFSET ${offset}`;
  }

  #targetOf(caller: Caller): ReadTarget {
    const grant = caller.admin ? ALL_JOBS : OWN_JOBS;
    const grants = { of: (name: string) => (name === JOBS ? grant : null) };
    return { catalog: this.#catalog, grants, caller, bounds: BOUNDS, collection: JOBS };
  }
}
