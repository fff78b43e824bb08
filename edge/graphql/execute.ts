/**
 * Executes an operation: each field of its root becomes one query or one write of the services that
 * REST uses, and the texts of their answers become one. No item is looked at here.
 */
import { type FieldNode, GraphQLError, Kind, type OperationDefinitionNode, print } from 'graphql';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import type { Rights } from '#core/access/rights.ts';
import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { requireCost } from '#core/query/limits.ts';
import type { Call } from '#edge/rest/call.ts';
import type { EdgeServices } from '#edge/services.ts';
import { coerceVariables } from './coerce-variables.ts';
import { type CollectedFields, collectFields } from './collect-fields.ts';
import { type DocumentCache, operationOf } from './document-cache.ts';
import { Execution, type FieldOutcome, type FieldText } from './execution.ts';
import type { Scope } from './schema.ts';
import type { ValidDocument } from './valid-document.ts';

/** What a client asks for. */
export interface GraphRequest {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>> | null;
}

/** Bytes of a character in a text at most. */
const CHARACTER = 2;

const OPERATIONS = { query: 'Query', mutation: 'Mutation' } as const;

/** Whether a field without a value makes the whole answer null. */
function isNonNull(valid: ValidDocument, type: 'Query' | 'Mutation', name: string): boolean {
  const { queries, mutations } = valid.endpoint;
  const verb = (type === 'Query' ? queries : mutations).get(name)?.verb;
  const many = ['list', 'aggregate', 'createMany', 'updateMany', 'updateEach'];
  return verb !== undefined && many.includes(verb);
}

/** @throws GraphQLError for a field that an operation may have once */
function requireOnce({ endpoint }: ValidDocument, collected: CollectedFields): void {
  const seen = new Set<string>();
  for (const [node] of collected.values()) {
    const name = node?.name.value ?? '';
    if (endpoint.routes.get(name)?.once !== true) continue;
    if (seen.has(name)) throw new GraphQLError(`An operation may have "${name}" only once.`);
    seen.add(name);
  }
}

/** The texts of the parts of an operation that ask for the schema itself. */
async function introspected(
  { introspection }: EdgeServices,
  scope: Scope,
  {
    valid,
    operation,
    collected,
    variables,
    known,
  }: {
    readonly valid: ValidDocument;
    readonly operation: OperationDefinitionNode;
    readonly collected: CollectedFields;
    readonly variables: GraphRequest['variables'];
    readonly known: { readonly catalog: Catalog; readonly rights: Rights };
  },
): Promise<ReadonlyMap<string, string>> {
  const nodes = [...collected.values()]
    .flat()
    .filter(({ name }) => name.value === '__schema' || name.value === '__type');
  const { name: _, ...unnamed } = operation;
  const asked: OperationDefinitionNode = {
    ...unnamed,
    selectionSet: { kind: Kind.SELECTION_SET, selections: nodes },
  };
  const query = print({ kind: Kind.DOCUMENT, definitions: [asked, ...valid.fragments.values()] });
  return await introspection.ask(known, scope, { kind: 'query', query, variables });
}

/**
 * Refuses an operation whose fields together may cost more than one query may.
 * @throws GraphQLError with the variable that bounds it
 */
async function requireTotalCost(
  { bounds }: EdgeServices,
  collected: CollectedFields,
  execution: Execution,
): Promise<void> {
  const costs = await Promise.all([...collected].map(([key, nodes]) => execution.cost(key, nodes)));
  const { cost: limit } = bounds.limits ?? DEFAULT_LIMITS;
  try {
    requireCost(
      costs.reduce((sum, cost) => sum + cost, 0),
      limit,
    );
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { message, extensions } = error.toJSON();
    throw new GraphQLError(message, { extensions });
  }
}

/** Executes what a client asks for. */
export async function execute(
  call: Call,
  documents: DocumentCache,
  scope: Scope,
  request: GraphRequest,
  known: { readonly catalog: Catalog; readonly rights: Rights },
): Promise<FieldOutcome> {
  const { catalog, rights } = known;
  const checked = await documents.check(catalog, rights, scope, request, quotaKeyOf(call.caller));
  if (checked.errors !== undefined) return { kind: 'refused', errors: checked.errors };
  const { valid } = checked;
  let operation: OperationDefinitionNode;
  try {
    operation = operationOf(valid.document, request.operationName);
  } catch (error) {
    if (error instanceof GraphQLError) return { kind: 'refused', errors: [error] };
    throw error;
  }
  if (operation.operation === 'subscription') {
    return { kind: 'refused', errors: [new GraphQLError('Subscriptions need a WebSocket.')] };
  }
  if (operation.operation === 'mutation' && call.request.method !== 'POST')
    return { kind: 'unsafe' };
  const { schema } = valid.endpoint;
  const { variableValues: variables, errors } = coerceVariables(
    valid,
    operation,
    request.variables,
  );
  if (variables === undefined) return { kind: 'refused', errors: errors ?? [] };
  const type = OPERATIONS[operation.operation];
  const around = { fragments: valid.fragments, variables };
  const collected = collectFields([operation.selectionSet], new Set([type]), around);
  try {
    documents.requireRootFields(collected.size);
    requireOnce(valid, collected);
  } catch (error) {
    if (error instanceof GraphQLError) return { kind: 'refused', errors: [error] };
    throw error;
  }
  const selecting = { ...around, schema, shapes: valid.shapes, bounds: call.services.bounds };
  const text = `${valid.number} ${request.operationName} ${JSON.stringify(request.variables ?? {})}`;
  const execution = new Execution(call, valid, selecting, text);
  const [only, ...others] = collected;
  if (type === 'Query' && only !== undefined && others.length === 0) {
    try {
      const outcome = await execution.only(only[0], only[1]);
      if (outcome !== null) return outcome;
    } catch (error) {
      const failed = execution.failure(only[0], only[1], error);
      return assembled(valid, type, collected, [failed]);
    }
  }
  if (type === 'Query') {
    try {
      await requireTotalCost(call.services, collected, execution);
    } catch (error) {
      if (error instanceof GraphQLError) return { kind: 'refused', errors: [error] };
      throw error;
    }
  }
  const { variables: sent } = request;
  const schemaParts = valid.introspects
    ? await introspected(call.services, scope, {
        valid,
        operation,
        collected,
        variables: sent,
        known,
      })
    : null;
  const run = async ([key, nodes]: readonly [string, readonly FieldNode[]]): Promise<FieldText> => {
    const part = schemaParts?.get(key);
    if (part !== undefined) return { text: part };
    const found = await execution.field(key, nodes, type);
    // The texts of several fields are there together before the answer is.
    if (type === 'Query') call.request.take(CHARACTER * (found.text?.length ?? 0));
    return found;
  };
  if (type === 'Query') {
    return assembled(valid, type, collected, await Promise.all([...collected].map(run)));
  }
  const results: FieldText[] = [];
  for (const field of collected) results.push(await run(field));
  return assembled(valid, type, collected, results);
}

/** Makes one answer of the fields of the root, in their order. */
function assembled(
  valid: ValidDocument,
  type: 'Query' | 'Mutation',
  collected: CollectedFields,
  results: readonly FieldText[],
): FieldOutcome {
  const errors = results.flatMap((result) => result.errors ?? []);
  const members = [...collected].map(([key, [node]], index) => {
    const text = results[index]?.text;
    if (text === undefined && isNonNull(valid, type, node?.name.value ?? '')) return null;
    return `${JSON.stringify(key)}:${text ?? 'null'}`;
  });
  const data = members.includes(null) ? 'null' : `{${members.join(',')}}`;
  const failures = errors.length === 0 ? '' : `"errors":${JSON.stringify(errors)},`;
  const secret = valid.endpoint.routes.size > 0;
  const text = `{${failures}"data":${data}}`;
  return { kind: 'text', secret, text, ...(type === 'Mutation' ? { done: true } : {}) };
}
