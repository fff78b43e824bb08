/** Writes a request as a document of GraphQL. */
import { keyFields } from '../data/item-key.ts';
import { graphqlFilter } from './graphql-filter.ts';
import { type KnownSchema, type Step, stepsOf, targetOf } from './known-schema.ts';
import { writeLiteral } from './literal.ts';
import { isSystem, type ReadRequest, servedName } from './request.ts';

/** Names that GraphQL takes; others are missing in its schema. */
const NAME = /^(?!__)[A-Za-z_]\w*$/;

/** What is selected below a name; nothing below a value. */
type Selection = Map<string, Selection>;

function below(selection: Selection, name: string): Selection {
  const inner = selection.get(name) ?? new Map();
  selection.set(name, inner);
  return inner;
}

/** The columns of a collection, for a wildcard. */
function columnsOf(known: KnownSchema, collection: string): readonly string[] {
  const columns = known.fieldsOf(collection).filter(({ type }) => type !== 'alias');
  return columns.map(({ field }) => field);
}

function select(
  known: KnownSchema,
  place: { readonly collection: string; readonly selection: Selection },
  steps: readonly Step[],
): void {
  const { collection, selection } = place;
  const [step, ...others] = steps;
  if (step === undefined) return;
  const { name, call, scope } = step;
  if (name === '*') {
    for (const column of columnsOf(known, collection)) {
      select(known, place, [{ ...step, name: column }, ...others]);
    }
    return;
  }
  if (!NAME.test(name)) return;
  if (call !== null) {
    below(below(selection, `${name}_func`), call);
    return;
  }
  const target = scope ?? targetOf(known, collection, name);
  if (target === null) {
    below(selection, name);
    return;
  }
  if (!NAME.test(target)) return;
  const related = below(selection, name);
  const inner = scope === null ? related : below(related, `... on ${scope}`);
  const keys = keyFields(known.fieldsOf(target)).map((key) => ({
    ...step,
    name: key,
    scope: null,
  }));
  const paths = others.length > 0 ? [others] : keys.map((key) => [key]);
  for (const path of paths) select(known, { collection: target, selection: inner }, path);
  if (inner.size === 0) selection.delete(name);
}

function writeSelection(selection: Selection, indent: string): string {
  const inner = `${indent}  `;
  const lines = [...selection].map(([name, part]) =>
    part.size === 0 ? `${inner}${name}\n` : `${inner}${name} ${writeSelection(part, inner)}\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

function argumentsOf(request: ReadRequest, known: KnownSchema): Readonly<Record<string, unknown>> {
  if (request.kind !== 'list')
    return request.kind === 'item' ? { id: decodeURIComponent(request.key) } : {};
  const { collection, filter, search, sort = [], limit, page = 1 } = request;
  return {
    ...(filter !== undefined && { filter: graphqlFilter(known, collection, filter) }),
    ...(search !== undefined && { search }),
    ...(sort.length > 0 && { sort }),
    limit,
    ...(page > 1 && { page }),
  };
}

/** Whether GraphQL can name all members of a literal. */
function isNameable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isNameable);
  return Object.entries(value).every(([name, member]) => NAME.test(name) && isNameable(member));
}

/** The path of the endpoint that knows the collection. */
function graphqlPath(collection: string): string {
  return isSystem(collection) ? '/graphql/system' : '/graphql';
}

/**
 * The document, below a comment that says where it is sent.
 * @returns null for what GraphQL cannot name
 */
export function graphqlText(
  request: ReadRequest,
  origin: string,
  known: KnownSchema,
): string | null {
  const { collection, fields, kind } = request;
  const selection: Selection = new Map();
  for (const path of fields) select(known, { collection, selection }, stepsOf(path));
  const name = servedName(collection);
  const members = argumentsOf(request, known);
  if (!NAME.test(name) || selection.size === 0 || !isNameable(members)) return null;
  const root = kind === 'item' ? `${name}_by_id` : name;
  const written = Object.entries(members).map(
    ([argument, value]) => [argument, writeLiteral(value, '    ')] as const,
  );
  const line = written.map(([argument, value]) => `${argument}: ${value}`).join(', ');
  const isShort = line.length <= 60 && !line.includes('\n');
  const list = isShort
    ? line
    : `\n${written.map(([argument, value]) => `    ${argument}: ${value}\n`).join('')}  `;
  return `# POST ${origin}${graphqlPath(collection)}
query {
  ${root}${written.length > 0 ? `(${list})` : ''} ${writeSelection(selection, '  ')}
}
`;
}
