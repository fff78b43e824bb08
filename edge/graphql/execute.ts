/**
 * Executes an operation: each field of its root becomes one query or one write of the services that
 * REST uses, and the texts of their answers become one. {@link execute} is its table of contents.
 */
import { type FieldNode, GraphQLError, Kind, type OperationDefinitionNode, print } from 'graphql';
import { quotaKeyOf } from '#core/access/quota-key.ts';
import type { Rights } from '#core/access/rights.ts';
import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { requireCost } from '#core/query/limits.ts';
import type { Call } from '#edge/rest/call.ts';
import { coerceVariables } from './coerce-variables.ts';
import { type CollectedFields, collectFields } from './collect-fields.ts';
import { type DocumentCache, operationOf } from './document-cache.ts';
import { Execution, type FieldOutcome, type FieldText } from './execution.ts';
import type { Scope } from './schema.ts';
import type { ValidDocument } from './valid-document.ts';

/** The request of a client. */
export interface GraphRequest {
  readonly query: string;
  readonly operationName: string | null;
  readonly variables: Readonly<Record<string, unknown>> | null;
}

/** Maximum bytes of a character in memory. */
const CHARACTER = 2;

const OPERATIONS = { query: 'Query', mutation: 'Mutation' } as const;

/** Whether a field without a value makes the whole response null. */
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

/** An operation that is refused before any of its fields is executed. */
class RefusedOperation extends Error {
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('the operation is refused');
    this.name = 'RefusedOperation';
    this.errors = errors;
  }
}

/** Runs a check of an operation. @throws {RefusedOperation} for what it throws as GraphQLError */
function refusing<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    throw error instanceof GraphQLError ? new RefusedOperation([error]) : error;
  }
}

/** One operation of a client on its way to the answer. */
interface Operation {
  readonly call: Call;
  readonly scope: Scope;
  readonly known: { readonly catalog: Catalog; readonly rights: Rights };
  readonly valid: ValidDocument;
  readonly definition: OperationDefinitionNode;
  readonly type: 'Query' | 'Mutation';
  readonly variables: ReturnType<typeof requireVariables>;
  /** The variables as the client sent them. */
  readonly sent: GraphRequest['variables'];
  /** The fields of the root by their keys in the answer. */
  readonly fields: CollectedFields;
}

/** @throws {RefusedOperation} for a name that the document lacks, and for a subscription */
function chooseOperation({ document }: ValidDocument, name: string | null) {
  const definition = refusing(() => operationOf(document, name));
  const { operation } = definition;
  if (operation !== 'subscription') return { definition, type: OPERATIONS[operation] };
  throw new RefusedOperation([new GraphQLError('Subscriptions need a WebSocket.')]);
}

/** @throws {RefusedOperation} when the types of the variables refuse what was sent */
function requireVariables(
  valid: ValidDocument,
  definition: OperationDefinitionNode,
  sent: GraphRequest['variables'],
) {
  const { variableValues, errors } = coerceVariables(valid, definition, sent);
  if (variableValues === undefined) throw new RefusedOperation(errors ?? []);
  return variableValues;
}

/** @throws {RefusedOperation} for too many fields, and for one that an operation may have once */
function requireRootFields(
  documents: DocumentCache,
  valid: ValidDocument,
  { definition, type, variables }: Pick<Operation, 'definition' | 'type' | 'variables'>,
): CollectedFields {
  const around = { fragments: valid.fragments, variables };
  const fields = collectFields([definition.selectionSet], new Set([type]), around);
  refusing(() => {
    documents.requireRootFields(fields.size);
    requireOnce(valid, fields);
  });
  return fields;
}

/** Starts the execution of the fields. The same texts on the same document share statements. */
function beginExecution(
  { call, valid, variables, sent }: Operation,
  name: string | null,
): Execution {
  const { schema } = valid.endpoint;
  const { bounds } = call.services;
  const selecting = { fragments: valid.fragments, variables, schema, shapes: valid.shapes, bounds };
  const text = `${valid.number} ${name} ${JSON.stringify(sent ?? {})}`;
  return new Execution(call, valid, selecting, text);
}

/** The answer of a query with a single field, which needs no assembly; null for all others. */
async function executeOnlyField(
  operation: Operation,
  execution: Execution,
): Promise<FieldOutcome | null> {
  const [only, ...others] = operation.fields;
  if (operation.type !== 'Query' || only === undefined || others.length > 0) return null;
  try {
    return await execution.only(...only);
  } catch (error) {
    return assembled(operation, [execution.failure(...only, error)]);
  }
}

/**
 * Refuses a query whose fields together may cost more than one query may.
 * @throws {RefusedOperation} naming the variable that bounds it
 */
async function requireTotalCost({ call, type, fields }: Operation, execution: Execution) {
  if (type !== 'Query') return;
  const { cost: limit } = call.services.bounds.limits ?? DEFAULT_LIMITS;
  try {
    const costs = await Promise.all([...fields].map((field) => execution.cost(...field)));
    const total = costs.reduce((sum, cost) => sum + cost, 0);
    requireCost(total, limit);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { message, extensions } = error.toJSON();
    throw new RefusedOperation([new GraphQLError(message, { extensions })]);
  }
}

/** The texts of the fields that describe the schema itself; null where there is none. */
async function introspect(operation: Operation): Promise<ReadonlyMap<string, string> | null> {
  const { call, scope, known, valid, definition, fields, sent: variables } = operation;
  if (!valid.introspects) return null;
  const selections = [...fields.values()]
    .flat()
    .filter(({ name }) => name.value === '__schema' || name.value === '__type');
  const { name: _, ...unnamed } = definition;
  const asked: OperationDefinitionNode = {
    ...unnamed,
    selectionSet: { kind: Kind.SELECTION_SET, selections },
  };
  const query = print({ kind: Kind.DOCUMENT, definitions: [asked, ...valid.fragments.values()] });
  const { introspection } = call.services;
  return await introspection.ask(known, scope, { kind: 'query', query, variables });
}

/** Executes the fields: those of a query at the same time, those of a mutation one by one. */
async function executeFields(
  { call, type, fields }: Operation,
  execution: Execution,
  described: ReadonlyMap<string, string> | null,
): Promise<readonly FieldText[]> {
  const run = async ([key, nodes]: readonly [string, readonly FieldNode[]]): Promise<FieldText> => {
    const part = described?.get(key);
    if (part !== undefined) return { text: part };
    const found = await execution.field(key, nodes, type);
    // The texts of all fields are in memory before the answer is assembled.
    if (type === 'Query') call.request.take(CHARACTER * (found.text?.length ?? 0));
    return found;
  };
  if (type === 'Query') return await Promise.all([...fields].map(run));
  const results: FieldText[] = [];
  for (const field of fields) results.push(await run(field));
  return results;
}

/** Executes the operation of a request. */
export async function execute(
  call: Call,
  documents: DocumentCache,
  scope: Scope,
  request: GraphRequest,
  known: { readonly catalog: Catalog; readonly rights: Rights },
): Promise<FieldOutcome> {
  const { operationName: name, variables: sent } = request;
  const { catalog, rights } = known;
  try {
    const checked = await documents.check(catalog, rights, scope, request, quotaKeyOf(call.caller));
    if (checked.errors !== undefined) return { kind: 'refused', errors: checked.errors };
    const { valid } = checked;
    const { definition, type } = chooseOperation(valid, name);
    if (type === 'Mutation' && call.request.method !== 'POST') return { kind: 'unsafe' };
    const variables = requireVariables(valid, definition, sent);
    const fields = requireRootFields(documents, valid, { definition, type, variables });
    const operation = { call, scope, known, valid, definition, type, variables, sent, fields };
    const execution = beginExecution(operation, name);
    const only = await executeOnlyField(operation, execution);
    if (only !== null) return only;
    await requireTotalCost(operation, execution);
    const described = await introspect(operation);
    return assembled(operation, await executeFields(operation, execution, described));
  } catch (error) {
    if (error instanceof RefusedOperation) return { kind: 'refused', errors: error.errors };
    throw error;
  }
}

/** Assembles the answer from the texts of the fields, in their order. */
function assembled(
  { valid, type, fields }: Operation,
  results: readonly FieldText[],
): FieldOutcome {
  const errors = results.flatMap((result) => result.errors ?? []);
  const members = [...fields].map(([key, [node]], index) => {
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
