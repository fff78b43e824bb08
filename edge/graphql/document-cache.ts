/**
 * Parses documents within limits, validates them against the reachable part of the schema, and
 * caches both. A repeated document with the same permissions costs only its variables. New
 * documents are checked fairly among their holders, and the cache is limited to a part of the heap.
 */

import {
  type DocumentNode,
  GraphQLError,
  type getVariableValues,
  Kind,
  type OperationDefinitionNode,
  parse,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Rights } from '#core/access/rights.ts';
import { heapLimit } from '#core/base/process/heap-size.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { compileQueue } from '#core/read/compile-queue.ts';
import { mentionsInheritedMember } from './coerce-variables.ts';
import { PersistedDocuments } from './persisted-documents.ts';
import { nestingDepth, reachableCollections } from './reachable-collections.ts';
import { buildSchema, rootCollections, type Scope } from './schema.ts';
import { SchemaShapes } from './schema-shapes.ts';
import type { ValidDocument } from './valid-document.ts';
import { VALIDATION_RULES } from './validation-rules.ts';

/** Bounds of one document, by the variables that set them. */
export interface DocumentLimits {
  /** GRAPHQL_QUERY_TOKEN_LIMIT */
  readonly tokens: number;
  /** GRAPHQL_MAX_ALIASES */
  readonly aliases: number;
  /** GRAPHQL_MAX_FIELDS: validation compares each field with many others. */
  readonly fields: number;
  /** GRAPHQL_MAX_ROOT_FIELDS */
  readonly rootFields: number;
  /** GRAPHQL_INTROSPECTION */
  readonly introspection: boolean;
}

/** The coerced values of variables. */
export type CoercedVariables = NonNullable<ReturnType<typeof getVariableValues>['variableValues']>;

/** A valid document, or the errors of an invalid one. */
export type CheckedDocument =
  | { readonly valid: ValidDocument; readonly errors?: never }
  | { readonly errors: readonly GraphQLError[]; readonly valid?: never };

/** Maximum cached documents of one set of permissions, and maximum such sets. */
const MAX_DOCUMENTS = 1_000;
const MAX_RIGHTS = 200;
/** The part of the heap that all cached documents may use. */
const KEPT_PART = 0.125;
/** Estimated bytes of a document's node with its tokens, and of a type in its schema. */
const NODE_BYTES = 400;
const TYPE_BYTES = 4_000;
/** Maximum number of reported errors of a document. */
const MAX_ERRORS = 20;

/** The names in a document, and its numbers with limits. */
interface Facts {
  readonly names: ReadonlySet<string>;
  readonly introspects: boolean;
  readonly aliases: number;
  readonly fields: number;
  readonly nodes: number;
}

function factsOf(document: DocumentNode): Facts {
  const names = new Set<string>();
  let introspects = false;
  let aliases = 0;
  let fields = 0;
  let nodes = 0;
  visit(document, {
    enter: (node) => {
      nodes += 1;
      if (node.kind === Kind.NAME) names.add(node.value);
      if (node.kind !== Kind.FIELD) return;
      const { name, alias } = node;
      fields += 1;
      if (alias !== undefined) aliases += 1;
      if (name.value === '__schema' || name.value === '__type') introspects = true;
    },
  });
  return { names, introspects, aliases, fields, nodes };
}

/**
 * The names of all members in the values of variables, which input types must contain, and their
 * depth.
 */
function partsOf(values: unknown): { readonly names: readonly string[]; readonly depth: number } {
  const names = new Set<string>();
  const open: (readonly [unknown, number])[] = [[values, 0]];
  let most = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value !== 'object' || value === null) continue;
    most = Math.max(most, depth);
    if (!Array.isArray(value)) for (const name of Object.keys(value)) names.add(name);
    for (const part of Object.values(value)) open.push([part, depth + 1]);
  }
  return { names: [...names].sort(), depth: most };
}

/** A cached document. */
interface Kept {
  readonly checked: CheckedDocument;
  /** Approximate bytes of the heap. */
  readonly size: number;
}

/** The cached documents of one set of permissions and one catalog. */
class Known {
  readonly shapes: SchemaShapes;
  readonly documents: LRUCache<string, Kept>;

  /** @param size maximum bytes of its documents */
  constructor(shapes: SchemaShapes, size: number) {
    this.shapes = shapes;
    this.documents = new LRUCache({
      max: MAX_DOCUMENTS,
      maxSize: size,
      // A text takes up to two bytes per character, and is also part of the key.
      sizeCalculation: (kept, key) => kept.size + 4 * key.length,
    });
  }
}

function limitError(what: string, limit: number, variable: string): GraphQLError {
  return new GraphQLError(`The document has more than ${limit} ${what} (${variable}).`, {
    extensions: { limit, variable },
  });
}

export class DocumentCache {
  /** Documents that clients identify by hash. */
  readonly persisted = new PersistedDocuments();
  readonly #limits: DocumentLimits;
  readonly #size: number;
  readonly #known = new LRUCache<Rights, Known>({ max: MAX_RIGHTS });
  #catalog: Catalog | null = null;
  #count = 0;

  /** @param size maximum bytes of all cached documents */
  constructor(limits: DocumentLimits, size = Math.floor(KEPT_PART * heapLimit())) {
    this.#limits = limits;
    this.#size = size;
  }

  /** The approximate bytes of all cached documents. */
  get size(): number {
    let size = 0;
    for (const { documents } of this.#known.values()) size += documents.calculatedSize;
    return size;
  }

  #of(catalog: Catalog, rights: Rights): Known {
    if (this.#catalog !== catalog) {
      this.#catalog = catalog;
      this.#known.clear();
    }
    const known = this.#known.get(rights);
    if (known !== undefined) return known;
    const made = new Known(new SchemaShapes(catalog, rights), this.#size);
    this.#known.set(rights, made);
    return made;
  }

  /**
   * Parses and validates a document in the compile queue; a repeated text is only looked up.
   * @throws ServiceError SERVICE_UNAVAILABLE when too many documents of the holder wait
   */
  async check(
    catalog: Catalog,
    rights: Rights,
    scope: Scope,
    { query, variables }: { readonly query: string; readonly variables: unknown },
    holder: string,
  ): Promise<CheckedDocument> {
    const { names: inVariables, depth } = partsOf(variables);
    const key = `${scope} ${depth} ${inVariables.join(' ')}\n${query}`;
    const found = this.#of(catalog, rights).documents.get(key);
    if (found !== undefined) return found.checked;
    return await compileQueue.run(holder, () => {
      const known = this.#of(catalog, rights);
      // Another request may have checked the document in the meantime.
      const again = known.documents.get(key);
      if (again !== undefined) return again.checked;
      const made = this.#check(known, scope, query, { inVariables, depth });
      known.documents.set(key, made);
      this.#bound();
      return made.checked;
    });
  }

  /** Removes the documents of the permissions whose documents use the most memory. */
  #bound(): void {
    while (this.size > this.#size) {
      let most: Known | null = null;
      for (const known of this.#known.values()) {
        const { calculatedSize } = known.documents;
        if (most === null || calculatedSize > most.documents.calculatedSize) most = known;
      }
      if (most === null || most.documents.size === 0) return;
      most.documents.pop();
    }
  }

  #check(
    known: Known,
    scope: Scope,
    query: string,
    { inVariables, depth }: { readonly inVariables: readonly string[]; readonly depth: number },
  ): Kept {
    const refused = (errors: readonly GraphQLError[], nodes = 0): Kept => {
      return { checked: { errors }, size: nodes * NODE_BYTES };
    };
    let document: DocumentNode;
    try {
      document = parse(query, { maxTokens: this.#limits.tokens });
    } catch (error) {
      if (error instanceof GraphQLError) return refused([this.#named(error)]);
      throw error;
    }
    const { names, introspects, aliases, fields, nodes } = factsOf(document);
    const { aliases: most, introspection } = this.#limits;
    const { fields: mostFields } = this.#limits;
    if (fields > mostFields) {
      return refused([limitError('fields', mostFields, 'GRAPHQL_MAX_FIELDS')]);
    }
    if (aliases > most) return refused([limitError('aliases', most, 'GRAPHQL_MAX_ALIASES')]);
    if (introspects && !introspection) {
      const reason = 'Introspection is turned off (GRAPHQL_INTROSPECTION).';
      return refused([new GraphQLError(reason)]);
    }
    const wanted = new Set([...names, ...inVariables]);
    const wants = (name: string) => wanted.has(name);
    const steps = nestingDepth(query) + depth;
    const reaches = reachableCollections(
      known.shapes,
      rootCollections(scope, wanted),
      wants,
      steps,
    );
    const endpoint = buildSchema(known.shapes, scope, wants, reaches);
    const errors = validate(endpoint.schema, document, VALIDATION_RULES, {
      maxErrors: MAX_ERRORS,
      hideSuggestions: true,
    });
    // The errors contain references to the document.
    if (errors.length > 0) return refused(errors, nodes);
    const fragments = new Map(
      document.definitions.flatMap((one) =>
        one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
      ),
    );
    this.#count += 1;
    const { shapes } = known;
    const inherits = mentionsInheritedMember(wanted);
    const number = this.#count;
    const types = Object.keys(endpoint.schema.getTypeMap()).length;
    const size = nodes * NODE_BYTES + types * TYPE_BYTES;
    return {
      checked: { valid: { document, endpoint, shapes, fragments, introspects, inherits, number } },
      size,
    };
  }

  /** The parser's own error about too many tokens names no variable. */
  #named(error: GraphQLError): GraphQLError {
    const { tokens } = this.#limits;
    if (!error.message.includes('token')) return error;
    return /more that|more than/.test(error.message)
      ? limitError('tokens', tokens, 'GRAPHQL_QUERY_TOKEN_LIMIT')
      : error;
  }

  /** @throws GraphQLError when an operation has too many fields at its root */
  requireRootFields(count: number): void {
    const { rootFields } = this.#limits;
    if (count <= rootFields) return;
    throw limitError('fields at its root', rootFields, 'GRAPHQL_MAX_ROOT_FIELDS');
  }
}

/**
 * The operation to execute.
 * @throws GraphQLError when the document has several and none is named, or the name is unknown
 */
export function operationOf(
  { definitions }: DocumentNode,
  name: string | null,
): OperationDefinitionNode {
  const operations = definitions.flatMap((one) =>
    one.kind === Kind.OPERATION_DEFINITION ? [one] : [],
  );
  const named = name === null ? operations : operations.filter((one) => one.name?.value === name);
  const [operation, ...others] = named;
  if (operation === undefined) {
    throw new GraphQLError(
      name === null ? 'The document has no operation.' : `The document has no operation "${name}".`,
    );
  }
  if (others.length > 0) {
    throw new GraphQLError('The document has several operations; "operationName" must name one.');
  }
  return operation;
}
