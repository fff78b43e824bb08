/** Aggregates: what is asked of the query compiler, and its answer in the shape of GraphQL. */
import type { FieldNode } from 'graphql';
import { isJsonObject, type JsonObject } from '#core/json/json-object.ts';
import { isAggregateFunction } from '#core/query/aggregate.ts';
import { callOf, resultKey } from '#core/query/call.ts';
import type { AggregateTerm, Query } from '#core/query/query.ts';
import { type Collected, collectFields, type Surroundings } from './collect.ts';
import type { Selector } from './selection.ts';

const TYPENAME = '__typename';

/** One member of a group, by its key: of which aggregate, and which fields under which keys. */
interface Member {
  readonly name: string;
  readonly fields: Collected;
}

export interface Aggregation {
  query(selector: Selector): Query;
  /** The text of the answer, from that of the query. */
  answerOf(text: string): string;
}

function number(value: unknown): number | null {
  if (value === null || value === undefined) return null;
  const made = Number(value);
  return Number.isFinite(made) ? made : null;
}

/** @param nodes of the field of the root */
export function aggregationOf(
  collection: string,
  nodes: readonly FieldNode[],
  given: Readonly<Record<string, unknown>>,
  around: Surroundings,
): Aggregation {
  const type = `${collection}_aggregated`;
  const sets = nodes.map(({ selectionSet }) => selectionSet);
  const members = new Map<string, Member>();
  for (const [key, own] of collectFields(sets, new Set([type]), around)) {
    const name = own[0]?.name.value ?? '';
    const below = own.map(({ selectionSet }) => selectionSet);
    const suffix = name === 'count' || name === 'countDistinct' ? 'count' : 'fields';
    const fields = collectFields(below, new Set([`${type}_${suffix}`]), around);
    members.set(key, { name, fields });
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
  // Without a group and an aggregate the answer would be items.
  if (terms.size === 0) terms.set('', { aggregate: 'countAll', field: '*' });
  const groupKeys = groups.map((asked) => {
    const call = callOf(asked);
    return call === null ? asked : resultKey(call);
  });

  const memberOf = (row: JsonObject, { name, fields }: Member): unknown => {
    if (name === TYPENAME) return type;
    if (name === 'group') {
      return groups.length === 0
        ? null
        : Object.fromEntries(groupKeys.map((key) => [key, row[key]]));
    }
    if (name === 'countAll') return number(row.countAll);
    const values = row[name];
    const suffix = name === 'count' || name === 'countDistinct' ? 'count' : 'fields';
    return Object.fromEntries(
      [...fields].map(([key, [node]]) => {
        const field = node?.name.value ?? '';
        if (field === TYPENAME) return [key, `${type}_${suffix}`];
        return [key, isJsonObject(values) ? number(values[field]) : null];
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
