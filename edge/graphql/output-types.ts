/** The object types of collections: their fields, relations, functions and aggregates. */
import {
  type GraphQLArgumentConfig,
  type GraphQLFieldConfig,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import { isColumn } from '#core/catalog/catalog.ts';
import { AGGREGATE_FUNCTIONS } from '#core/query/aggregate.ts';
import { type InputTypes, SCALARS, type Wanted } from './input-types.ts';
import type { Reach } from './reach.ts';
import { JSON_VALUE } from './scalars.ts';
import type { FieldShape, Shapes } from './shape.ts';

type Fields = Record<string, GraphQLFieldConfig<unknown, unknown>>;
export type Arguments = Record<string, GraphQLArgumentConfig>;

function noteOf(note: unknown): string | null {
  return typeof note === 'string' ? note : null;
}

export class OutputTypes {
  readonly #shapes: Shapes;
  readonly #inputs: InputTypes;
  readonly #wants: Wanted;
  readonly #reaches: Reach;
  readonly #objects = new Map<string, GraphQLObjectType>();
  readonly #unions = new Map<string, GraphQLUnionType>();

  constructor(
    shapes: Shapes,
    inputs: InputTypes,
    { wants, reaches }: { readonly wants: Wanted; readonly reaches: Reach },
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
    return this.#object(collection, () => this.#fields(collection), noteOf(note));
  }

  /** What a list can be asked. */
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
        return { type: this.#functions(shape.type, shape.functions) };
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

  #functions(name: string, functions: readonly string[]): GraphQLObjectType {
    const path = { path: { type: new GraphQLNonNull(GraphQLString) } };
    return this.#object(name, () =>
      Object.fromEntries(
        functions.map((called) => [
          called,
          called === 'json' ? { type: JSON_VALUE, args: path } : { type: GraphQLInt },
        ]),
      ),
    );
  }

  /** What a collection's items can be aggregated to. */
  aggregated(collection: string): GraphQLObjectType {
    return this.#object(`${collection}_aggregated`, () => this.#aggregates(collection));
  }

  #aggregates(collection: string): Fields {
    const counts = this.#object(`${collection}_aggregated_count`, () => this.#counts(collection));
    const fields: Fields = {
      group: { type: JSON_VALUE },
      countAll: { type: GraphQLInt },
      count: { type: counts },
      countDistinct: { type: counts },
    };
    const numbers = this.#numbers(collection);
    if (numbers.length === 0) return fields;
    const values = this.#object(`${collection}_aggregated_fields`, () =>
      Object.fromEntries(numbers.map((name) => [name, { type: GraphQLFloat }])),
    );
    for (const name of AGGREGATE_FUNCTIONS) fields[name] ??= { type: values };
    return fields;
  }

  #counts(collection: string): Fields {
    const columns = [...this.#columns(collection)].filter((name) => this.#wants(name));
    return Object.fromEntries(columns.map((name) => [name, { type: GraphQLInt }]));
  }

  *#columns(collection: string): Generator<string> {
    const fields = this.#shapes.collection(collection)?.fields;
    for (const name of this.#shapes.of(collection).keys()) {
      if (isColumn(fields?.get(name))) yield name;
    }
  }

  #numbers(collection: string): string[] {
    return [...this.#shapes.of(collection)].flatMap(([name, shape]) => {
      if (shape.kind !== 'value') return [];
      const { type } = shape.field;
      const isNumber = ['integer', 'bigInteger', 'float', 'decimal'].includes(type);
      return isNumber && shape.scalar !== 'Hash' ? [name] : [];
    });
  }

  /** The type of an answer with the written items; a boolean where they may not be read. */
  list(collection: string): GraphQLOutputType {
    return new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(this.item(collection))));
  }
}
