/** The object types of collections: their fields, relations, functions and aggregates. */
import {
  type GraphQLArgumentConfig,
  type GraphQLFieldConfig,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import { aggregatesOf, FIELD_FUNCTIONS, partOf } from './aggregate-shape.ts';
import { FUNCTION_TYPES } from './function-types.ts';
import type { InputTypes, UsedNames } from './input-types.ts';
import { SCALARS } from './operator-types.ts';
import type { CollectionFilter } from './reachable-collections.ts';
import { JSON_VALUE } from './scalars.ts';
import type { FieldShape, SchemaShapes } from './schema-shapes.ts';

type Fields = Record<string, GraphQLFieldConfig<unknown, unknown>>;
export type Arguments = Record<string, GraphQLArgumentConfig>;

function noteOf(note: unknown): string | null {
  return typeof note === 'string' ? note : null;
}

export class OutputTypes {
  readonly #shapes: SchemaShapes;
  readonly #inputs: InputTypes;
  readonly #wants: UsedNames;
  readonly #reaches: CollectionFilter;
  readonly #objects = new Map<string, GraphQLObjectType>();
  readonly #unions = new Map<string, GraphQLUnionType>();

  constructor(
    shapes: SchemaShapes,
    inputs: InputTypes,
    { wants, reaches }: { readonly wants: UsedNames; readonly reaches: CollectionFilter },
  ) {
    this.#shapes = shapes;
    this.#inputs = inputs;
    this.#wants = wants;
    this.#reaches = reaches;
  }

  #object(name: string, fields: () => Fields, description?: string | null): GraphQLObjectType {
    const known = this.#objects.get(name);
    if (known !== undefined) return known;
    const made = new GraphQLObjectType({ name, fields, description: description ?? null });
    this.#objects.set(name, made);
    return made;
  }

  /** The items of a readable collection. */
  item(collection: string): GraphQLObjectType {
    const note = this.#shapes.collection(collection)?.meta?.row.note;
    return this.#object(
      this.#shapes.names.item(collection),
      () => this.#fields(collection),
      noteOf(note),
    );
  }

  /** The arguments of a list. */
  listArguments(collection: string): Arguments {
    return {
      filter: { type: this.#inputs.filter(collection) },
      sort: { type: new GraphQLList(GraphQLString) },
      limit: { type: GraphQLInt },
      offset: { type: GraphQLInt },
      page: { type: GraphQLInt },
      search: { type: GraphQLString },
    };
  }

  #fields(collection: string): Fields {
    const fields: Fields = {};
    for (const [name, shape] of this.#shapes.of(collection)) {
      const isFar = 'target' in shape && !this.#reaches(shape.target);
      if (!isFar && this.#wants(name)) fields[name] = this.#field(shape);
    }
    return fields;
  }

  #field(shape: FieldShape): GraphQLFieldConfig<unknown, unknown> {
    switch (shape.kind) {
      case 'value': {
        const type = SCALARS[shape.scalar];
        const description = noteOf(shape.field.meta?.row.note) ?? shape.field.column.comment;
        return { type: shape.required ? new GraphQLNonNull(type) : type, description };
      }
      case 'one':
      case 'list': {
        const item = this.item(shape.target);
        const type = shape.kind === 'one' ? item : new GraphQLList(item);
        return { type, args: this.listArguments(shape.target), description: shape.note };
      }
      case 'any':
        return { type: this.#union(shape.union, shape.targets) };
      case 'functions':
        return { type: this.#functions(shape) };
    }
  }

  #union(name: string, targets: readonly string[]): GraphQLUnionType {
    const known = this.#unions.get(name);
    if (known !== undefined) return known;
    const types = () => targets.map((target) => this.item(target));
    const made = new GraphQLUnionType({ name, types });
    this.#unions.set(name, made);
    return made;
  }

  #functions({ set, type, isDocument }: Extract<FieldShape, { kind: 'functions' }>) {
    const { output } = FUNCTION_TYPES[set];
    if (!isDocument) return output;
    const json = { type: JSON_VALUE, args: { path: { type: new GraphQLNonNull(GraphQLString) } } };
    return this.#object(type, () => ({ count: { type: GraphQLInt }, json }));
  }

  /** The aggregates of a collection's items. */
  aggregated(collection: string): GraphQLObjectType {
    const name = this.#shapes.names.aggregated(collection);
    return this.#object(name, () => this.#aggregates(collection));
  }

  #aggregates(collection: string): Fields {
    const { names } = this.#shapes;
    const fields: Fields = { group: { type: JSON_VALUE }, countAll: { type: GraphQLInt } };
    for (const name of FIELD_FUNCTIONS) {
      if (!this.#wants(name)) continue;
      const columns = aggregatesOf(this.#shapes, collection, name);
      if (columns.size === 0) continue;
      const wanted = [...columns].filter(([column]) => this.#wants(column));
      const members = wanted.map(([column, of]) => [column, { type: SCALARS[of] }] as const);
      const own = names.aggregated(collection, partOf(name));
      fields[name] = { type: this.#object(own, () => Object.fromEntries(members)) };
    }
    return fields;
  }

  /** The type of a response with the written items; a boolean when the caller may not read them. */
  list(collection: string): GraphQLOutputType {
    return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(this.item(collection))));
  }
}
