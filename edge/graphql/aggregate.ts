/** Aggregates: the request to the query compiler, and its result in the structure of GraphQL. */
import type { FieldNode } from 'graphql';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import { isAggregateFunction } from '#core/query/aggregate.ts';
import { functionResultKey, parseFunctionCall } from '#core/query/function-call.ts';
import type { AggregateTerm, Query } from '#core/query/query.ts';
import { aggregatesOf, isFieldFunction, partOf } from './aggregate-shape.ts';
import { type CollectedFields, collectFields } from './collect-fields.ts';
import type { LevelSelector, SelectionOptions } from './level-selector.ts';
import type { ScalarName } from './scalar-name.ts';

const TYPENAME = '__typename';

/** One member of a group, by its key: the aggregate, and its fields by key. */
interface Member {
  readonly name: string;
  readonly fields: CollectedFields;
  /** The scalars of the results, by field name. */
  readonly scalars: ReadonlyMap<string, ScalarName>;
}

export interface Aggregation {
  query(selector: LevelSelector): Query;
  /** Converts the result of the query to the text of the response. */
  answerOf(text: string): string;
}

/** The scalars that are numbers in JSON. */
const NUMBERS: ReadonlySet<ScalarName | undefined> = new Set(['Int', 'Float'] as const);

function number(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const made = Number(value);
  return Number.isFinite(made) ? made : null;
}

/** @param nodes of the root field */
export function parseAggregation(
  collection: string,
  nodes: readonly FieldNode[],
  given: Readonly<Record<string, unknown>>,
  around: SelectionOptions,
): Aggregation {
  const { shapes } = around;
  const { names } = shapes;
  const type = names.aggregated(collection);
  const typeBelow = (name: string) =>
    isFieldFunction(name) ? names.aggregated(collection, partOf(name)) : type;
  const sets = nodes.map(({ selectionSet }) => selectionSet);
  const members = new Map<string, Member>();
  for (const [key, own] of collectFields(sets, new Set([type]), around)) {
    const name = own[0]?.name.value ?? '';
    const below = own.map(({ selectionSet }) => selectionSet);
    const fields = collectFields(below, new Set([typeBelow(name)]), around);
    const scalars = isFieldFunction(name) ? aggregatesOf(shapes, collection, name) : new Map();
    members.set(key, { name, fields, scalars });
  }
  const terms = new Map<string, AggregateTerm>();
  for (const { name, fields } of members.values()) {
    if (!isAggregateFunction(name)) continue;
    const names =
      name === 'countAll' ? ['*'] : [...fields.values()].map(([node]) => node?.name.value);
    for (const field of names) {
      if (field === undefined || field === TYPENAME) continue;
      terms.set(`${name} ${field}`, { aggregate: name, field });
    }
  }
  const groups = Array.isArray(given.groupBy) ? given.groupBy.map(String) : [];
  // Without a group and an aggregate the result would be items.
  if (terms.size === 0) terms.set('', { aggregate: 'countAll', field: '*' });
  const groupKeys = groups.map((asked) => {
    const call = parseFunctionCall(asked);
    return call === null ? asked : functionResultKey(call);
  });

  const memberOf = (row: JsonObject, { name, fields, scalars }: Member): unknown => {
    if (name === TYPENAME) return type;
    if (name === 'group') {
      return groups.length === 0
        ? null
        : Object.fromEntries(groupKeys.map((key) => [key, row[key]]));
    }
    if (name === 'countAll') return number(row.countAll);
    const values = row[name];
    return Object.fromEntries(
      [...fields].map(([key, [node]]) => {
        const field = node?.name.value ?? '';
        if (field === TYPENAME) return [key, typeBelow(name)];
        const value = isJsonObject(values) ? (values[field] ?? null) : null;
        return [key, NUMBERS.has(scalars.get(field)) ? number(value) : value];
      }),
    );
  };
  return {
    query: (selector) => ({
      ...selector.bare(collection, given),
      ...{ aggregate: [...terms.values()], meta: [], backlink: true },
    }),
    answerOf(text) {
      const rows: unknown = JSON.parse(text);
      if (!Array.isArray(rows)) return '[]';
      return JSON.stringify(
        rows.map((row) =>
          Object.fromEntries(
            [...members].map(([key, member]) => [
              key,
              isJsonObject(row) ? memberOf(row, member) : null,
            ]),
          ),
        ),
      );
    },
  };
}
