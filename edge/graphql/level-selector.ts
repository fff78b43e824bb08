/**
 * Compiles the selection of a field to a query: the same levels as in REST, in the structure of the
 * GraphQL response.
 */
import { type FieldNode, type GraphQLSchema, getArgumentValues, isObjectType } from 'graphql';
import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { reason } from '#core/base/errors/reason.ts';
import { invalidQuery } from '#core/base/errors/service-error.ts';
import { ElementCounter } from '#core/query/parse/counter.ts';
import { parseLevel } from '#core/query/parse/level.ts';
import type { Level, Path, Query, QueryBounds, ValueForm } from '#core/query/query.ts';
import { type CollectedFields, collectFields, type SelectionContext } from './collect-fields.ts';
import { parseFilterInput } from './filter-input.ts';
import type { FieldShape, SchemaShapes } from './schema-shapes.ts';

/** Options that all selections of an operation share. */
export interface SelectionOptions extends SelectionContext {
  readonly schema: GraphQLSchema;
  readonly shapes: SchemaShapes;
  readonly bounds: QueryBounds;
}

const TYPENAME = '__typename';

function selectionSets(nodes: readonly FieldNode[]) {
  return nodes.map(({ selectionSet }) => selectionSet);
}

/** The parts of a level under construction. */
class Draft {
  readonly fields: Path[] = [];
  readonly alias = new Map<string, string>();
  readonly deep = new Map<string, Level>();
  readonly forms = new Map<string, ValueForm>();
  readonly constants = new Map<string, string>();
  readonly objects = new Map<string, Level>();

  /** Assigns a field to a key. */
  name(key: string, field: string): void {
    if (key !== field) this.alias.set(key, field);
  }
}

export class LevelSelector {
  readonly #options: SelectionOptions;
  readonly #counter: ElementCounter;

  constructor(options: SelectionOptions) {
    this.#options = options;
    const { limits = DEFAULT_LIMITS, maxFields } = options.bounds;
    this.#counter = new ElementCounter(limits, maxFields);
  }

  /**
   * The query of a root field.
   * @param given coerced arguments of the field
   * @param usual the default limit
   */
  query(
    collection: string,
    nodes: readonly FieldNode[],
    given: Readonly<Record<string, unknown>>,
    usual?: number,
  ): Query {
    const asked = usual === undefined ? given : { limit: usual, ...given };
    const type = this.#options.shapes.names.item(collection);
    const level = this.#level(collection, [type], nodes, asked, 0);
    return { ...level, meta: [], backlink: true };
  }

  /** The arguments of a list, without its selection. */
  bare(collection: string, given: Readonly<Record<string, unknown>>): Level {
    const { shapes, bounds } = this.#options;
    const { filter, sort, limit, offset, page, search, groupBy, aggregate } = given;
    const parameters = {
      ...(filter === undefined || filter === null
        ? {}
        : { filter: parseFilterInput(shapes, collection, filter) }),
      ...{ sort, limit, offset, page, search, groupBy, aggregate },
    };
    const counter = this.#counter;
    return parseLevel({
      ...{ parameters, prefix: '', bounds, counter, strict: false },
      typed: parameters,
    });
  }

  #level(
    collection: string,
    types: readonly [own: string, union?: string],
    nodes: readonly FieldNode[],
    given: Readonly<Record<string, unknown>>,
    depth: number,
  ): Level {
    const { bounds } = this.#options;
    if (depth > bounds.maxDepth) {
      throw invalidQuery(
        reason('selection_too_many_relations_deep', { maxDepth: bounds.maxDepth }),
      );
    }
    const draft = new Draft();
    const collected = collectFields(
      selectionSets(nodes),
      new Set<string>(types.filter((type) => type !== undefined)),
      this.#options,
    );
    const shapes = this.#options.shapes.of(collection);
    this.#counter.add('fields', collected.size);
    for (const [key, [node, ...more]] of collected) {
      if (node === undefined) continue;
      const name = node.name.value;
      if (name === TYPENAME) {
        draft.constants.set(key, types[0]);
        draft.fields.push([key]);
        continue;
      }
      const shape = shapes.get(name);
      if (shape === undefined) throw new TypeError(`no field ${name} after validation`);
      this.#add(draft, { key, name, collection, shape, nodes: [node, ...more], depth });
    }
    return { ...this.bare(collection, given), ...draft };
  }

  #add(
    draft: Draft,
    field: {
      readonly key: string;
      readonly name: string;
      readonly collection: string;
      readonly shape: FieldShape;
      readonly nodes: readonly FieldNode[];
      readonly depth: number;
    },
  ): void {
    const { key, name, collection, shape, nodes, depth } = field;
    const { names } = this.#options.shapes;
    switch (shape.kind) {
      case 'value':
        draft.name(key, name);
        draft.fields.push([key]);
        if (shape.form !== null) draft.forms.set(key, shape.form);
        return;
      case 'one':
      case 'list': {
        draft.name(key, name);
        draft.fields.push([key]);
        const given = this.argumentsOf(names.item(collection), nodes);
        const { target } = shape;
        draft.deep.set(key, this.#level(target, [names.item(target)], nodes, given, depth + 1));
        return;
      }
      case 'any': {
        draft.name(key, name);
        for (const target of shape.targets) {
          const types = [names.item(target), shape.union] as const;
          const level = this.#level(target, types, nodes, {}, depth + 1);
          draft.deep.set(`${key}:${target}`, level);
        }
        draft.fields.push([key]);
        return;
      }
      case 'functions':
        draft.objects.set(key, this.#functions(shape, nodes));
        draft.fields.push([key]);
    }
  }

  /** The arguments of the first node, which are the same for all nodes. */
  argumentsOf(type: string, [node]: readonly FieldNode[]): Record<string, unknown> {
    const { schema, variables } = this.#options;
    const found = schema.getType(type);
    const field =
      node !== undefined && isObjectType(found) ? found.getFields()[node.name.value] : undefined;
    return node === undefined || field === undefined
      ? {}
      : getArgumentValues(field, node, variables, null, true);
  }

  #functions(
    { of, type }: Extract<FieldShape, { kind: 'functions' }>,
    nodes: readonly FieldNode[],
  ): Level {
    const draft = new Draft();
    const collected: CollectedFields = collectFields(
      selectionSets(nodes),
      new Set([type]),
      this.#options,
    );
    this.#counter.add('fields', collected.size);
    for (const [key, called] of collected) {
      const name = called[0]?.name.value ?? '';
      draft.fields.push([key]);
      if (name === TYPENAME) {
        draft.constants.set(key, type);
      } else if (name === 'json') {
        const { path } = this.argumentsOf(type, called);
        draft.alias.set(key, `json(${of}, ${String(path)})`);
      } else {
        draft.alias.set(key, `${name}(${of})`);
        draft.forms.set(key, 'number');
      }
    }
    return { ...EMPTY, ...draft };
  }
}

const EMPTY: Level = {
  ...{ fields: [], filter: null, search: null, sort: [], limit: null, offset: 0 },
  ...{ alias: new Map(), aggregate: [], groupBy: [], deep: new Map() },
};
