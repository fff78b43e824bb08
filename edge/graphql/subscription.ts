/** A GraphQL subscription: the query for each changed item, and the structure of its events. */
import { GraphQLError, type OperationDefinitionNode } from 'graphql';
import type { KeyedItem } from '#core/live/keyed-query.ts';
import { LIVE_ACTIONS, type LiveAction, type LiveEvent } from '#core/live/subscriber.ts';
import type { QueryBounds } from '#core/query/query.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import { coerceVariables } from './coerce-variables.ts';
import { type CollectedFields, collectFields } from './collect-fields.ts';
import type { GraphRequest } from './execute.ts';
import { LevelSelector } from './level-selector.ts';
import type { ValidDocument } from './valid-document.ts';

/** The parsed request of a subscriber. */
export interface GraphSubscription {
  readonly collection: string;
  readonly actions: ReadonlySet<LiveAction>;
  readonly question: UnparsedQuery;
  /** The responses for an event, one for each item. */
  answers(event: LiveEvent): readonly Readonly<Record<string, unknown>>[];
}

const parsedItems = new WeakMap<KeyedItem, unknown>();

/** The parsed item, cached for all subscribers that receive the same object. */
function sharedValue(item: KeyedItem): unknown {
  const known = parsedItems.get(item);
  if (known !== undefined) return known;
  const value: unknown = JSON.parse(item.text);
  parsedItems.set(item, value);
  return value;
}

/** One event for one item, with the response keys of the document, in their order. */
function eventOf(
  type: string,
  parts: CollectedFields,
  facts: { readonly key: string; readonly event: LiveAction; readonly data: unknown },
): Readonly<Record<string, unknown>> {
  const named: Readonly<Record<string, unknown>> = { ...facts, __typename: type };
  return Object.fromEntries(
    [...parts].map(([key, [node]]) => [key, named[node?.name.value ?? '']]),
  );
}

/**
 * Parses the operation of a valid document.
 * @throws GraphQLError for invalid variables
 */
export function parseSubscription(
  valid: ValidDocument,
  operation: OperationDefinitionNode,
  { variables: sent, operationName }: GraphRequest,
  bounds: QueryBounds,
): GraphSubscription {
  const { schema, subscriptions } = valid.endpoint;
  const { variableValues: variables, errors } = coerceVariables(valid, operation, sent);
  if (variables === undefined) throw errors?.[0] ?? new GraphQLError('Variables do not fit.');
  const around = { fragments: valid.fragments, variables };
  const selecting = { ...around, schema, shapes: valid.shapes, bounds };
  const [root] = collectFields([operation.selectionSet], new Set(['Subscription']), around);
  if (root === undefined) throw new GraphQLError('The subscription asks for nothing.');
  const [rootKey, nodes] = root;
  const name = nodes[0]?.name.value ?? '';
  const collection = subscriptions.get(name);
  if (collection === undefined) throw new GraphQLError(`"${name}" is no subscription.`);
  const type = valid.shapes.names.changes(collection);
  const { event } = new LevelSelector(selecting).argumentsOf('Subscription', nodes);
  const wanted = LIVE_ACTIONS.filter(
    (action) => event === undefined || event === null || action === event,
  );
  const sets = nodes.map(({ selectionSet }) => selectionSet);
  const parts = collectFields(sets, new Set([type]), around);
  const [data, ...others] = [...parts.values()].filter(([node]) => node?.name.value === 'data');
  if (others.length > 0) {
    throw new GraphQLError('An event has "data" once; ask for all its fields together.');
  }
  const text = `${valid.number} ${operationName} ${JSON.stringify(sent ?? {})}`;
  return {
    collection,
    actions: new Set(wanted),
    question: {
      text: `\u0001${text}`,
      query: () => new LevelSelector(selecting).query(collection, data ?? [], {}, -1),
    },
    answers(happened) {
      const facts =
        happened.action === 'delete'
          ? happened.keys.map((key) => ({ key, event: happened.action, data: null }))
          : happened.items.map((item) => ({
              key: item.key,
              event: happened.action,
              data: data === undefined ? null : sharedValue(item),
            }));
      return facts.map((one) => ({ [rootKey]: eventOf(type, parts, one) }));
    },
  };
}
