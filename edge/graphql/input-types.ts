/** The input types: conditions, and the payloads of writes. */
import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLID,
  type GraphQLInputFieldConfig,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
} from 'graphql';
import { isColumn } from '#core/catalog/catalog.ts';
import { isConcealed } from '#core/catalog/concealed-field.ts';
import { BIG_INT, DATE, GEO_JSON, HASH, JSON_VALUE, STRING_OR_FLOAT } from './scalars.ts';
import type { FieldShape, ScalarName, Shapes } from './shape.ts';

type Members = Record<string, GraphQLInputFieldConfig>;

/** The scalar types by their names here. */
export const SCALARS = {
  Boolean: GraphQLBoolean,
  Int: GraphQLInt,
  Float: GraphQLFloat,
  String: GraphQLString,
  ID: GraphQLID,
  GraphQLBigInt: BIG_INT,
  GraphQLGeoJSON: GEO_JSON,
  JSON: JSON_VALUE,
  Date: DATE,
  Hash: HASH,
  List: new GraphQLList(GraphQLString),
} satisfies Record<ScalarName, GraphQLInputType>;

const NULLS = ['_null', '_nnull'];
const EMPTY = ['_empty', '_nempty'];

/** Operators with values of a type, with lists of them, and without a value. */
function operators(
  type: GraphQLInputType,
  { single, lists, flags }: { single: string[]; lists: string[]; flags: string[] },
): Members {
  return Object.fromEntries([
    ...single.map((name) => [name, { type }] as const),
    ...lists.map((name) => [name, { type: new GraphQLList(type) }] as const),
    ...flags.map((name) => [name, { type: GraphQLBoolean }] as const),
  ]);
}

const TEXT = {
  single: [
    ...['_eq', '_neq', '_contains', '_icontains', '_ncontains', '_starts_with', '_nstarts_with'],
    ...['_istarts_with', '_nistarts_with', '_ends_with', '_nends_with', '_iends_with'],
    '_niends_with',
  ],
  lists: ['_in', '_nin'],
  flags: [...NULLS, ...EMPTY],
};
const ORDERED = {
  single: ['_eq', '_neq', '_gt', '_gte', '_lt', '_lte'],
  lists: ['_in', '_nin', '_between', '_nbetween'],
  flags: NULLS,
};

function operatorType(name: string, members: Members): GraphQLInputObjectType {
  return new GraphQLInputObjectType({ name, fields: members });
}

const NUMBER_OPERATORS = operatorType(
  'number_filter_operators',
  operators(STRING_OR_FLOAT, ORDERED),
);

const OPERATORS: Readonly<Record<ScalarName, GraphQLInputObjectType>> = (() => {
  const text = operatorType('string_filter_operators', operators(GraphQLString, TEXT));
  return {
    String: text,
    List: text,
    ID: operatorType('id_filter_operators', operators(GraphQLID, TEXT)),
    Boolean: operatorType(
      'boolean_filter_operators',
      operators(GraphQLBoolean, { single: ['_eq', '_neq'], lists: [], flags: NULLS }),
    ),
    Date: operatorType('date_filter_operators', operators(GraphQLString, ORDERED)),
    Int: NUMBER_OPERATORS,
    Float: NUMBER_OPERATORS,
    GraphQLBigInt: operatorType('big_int_filter_operators', operators(BIG_INT, ORDERED)),
    GraphQLGeoJSON: operatorType(
      'geometry_filter_operators',
      operators(GEO_JSON, {
        single: [
          '_eq',
          '_neq',
          '_intersects',
          '_nintersects',
          '_intersects_bbox',
          '_nintersects_bbox',
        ],
        lists: [],
        flags: NULLS,
      }),
    ),
    Hash: operatorType(
      'hash_filter_operators',
      operators(GraphQLString, { single: [], lists: [], flags: [...NULLS, ...EMPTY] }),
    ),
    JSON: operatorType(
      'json_filter_operators',
      operators(JSON_VALUE, { single: ['_json'], lists: [], flags: NULLS }),
    ),
  };
})();

/** What has names in the documents that the schema is for. */
export type Wanted = (name: string) => boolean;

export class InputTypes {
  readonly #shapes: Shapes;
  readonly #wants: Wanted;
  readonly #reaches: (collection: string) => boolean;
  readonly #types = new Map<string, GraphQLInputObjectType>();

  constructor(shapes: Shapes, wants: Wanted, reaches: (collection: string) => boolean) {
    this.#shapes = shapes;
    this.#wants = wants;
    this.#reaches = reaches;
  }

  #type(name: string, fields: () => Members): GraphQLInputObjectType {
    const known = this.#types.get(name);
    if (known !== undefined) return known;
    const made = new GraphQLInputObjectType({ name, fields });
    this.#types.set(name, made);
    return made;
  }

  /** The condition on items of a collection. */
  filter(collection: string): GraphQLInputObjectType {
    const name = `${collection}_filter`;
    return this.#type(name, () => this.#conditions(collection, this.filter(collection)));
  }

  /** The condition on a list of related items. */
  #quantified(collection: string): GraphQLInputObjectType {
    const name = `${collection}_quantifier_filter`;
    return this.#type(name, () => ({
      ...this.#conditions(collection, this.filter(collection)),
      _some: { type: this.filter(collection) },
      _none: { type: this.filter(collection) },
    }));
  }

  #conditions(collection: string, self: GraphQLInputObjectType): Members {
    const members: Members = {};
    for (const [name, shape] of this.#shapes.of(collection)) {
      if (shape.kind === 'any') {
        for (const target of shape.targets) {
          const key = `${name}__${target}`;
          if (this.#wants(key) && this.#reaches(target))
            members[key] = { type: this.filter(target) };
        }
      } else if (this.#wants(name) && !('target' in shape && !this.#reaches(shape.target))) {
        members[name] = { type: this.#condition(shape) };
      }
    }
    members._and = { type: new GraphQLList(self) };
    members._or = { type: new GraphQLList(self) };
    return members;
  }

  #condition(shape: Exclude<FieldShape, { kind: 'any' }>): GraphQLInputType {
    switch (shape.kind) {
      case 'value':
        return OPERATORS[shape.scalar];
      case 'one':
        return this.filter(shape.target);
      case 'list':
        return this.#quantified(shape.target);
      case 'functions':
        return this.#functions(shape.functions);
    }
  }

  #functions(functions: readonly string[]): GraphQLInputObjectType {
    const numbers = functions.filter((name) => name !== 'json');
    const kind = numbers.includes('count')
      ? 'count'
      : numbers.includes('year')
        ? numbers.includes('hour')
          ? 'datetime'
          : 'date'
        : 'time';
    return this.#type(`${kind}_function_filter_operators`, () =>
      Object.fromEntries(numbers.map((name) => [name, { type: NUMBER_OPERATORS }])),
    );
  }

  /** The values of a new item, or of a changed one. */
  payload(collection: string, action: 'create' | 'update'): GraphQLInputObjectType {
    return this.#type(`${action}_${collection}_input`, () => this.#values(collection, action));
  }

  #values(collection: string, action: 'create' | 'update'): Members {
    const members: Members = {};
    const found = this.#shapes.collection(collection);
    if (found === null) return members;
    const keys = new Set(found.primaryKey.map(({ name }) => name));
    for (const field of found.fields.values()) {
      const { name } = field;
      const isPart = keys.has(name) || this.#shapes.mayField(action, collection, name);
      if (!isPart || !this.#wants(name)) continue;
      const relation = this.#shapes.written(collection, name);
      if (relation?.kind === 'a2o') {
        members[name] = { type: GraphQLString };
        continue;
      }
      const target = relation?.kind === 'm2o' ? relation.one.collection : relation?.many.collection;
      if (target !== undefined && !this.#reaches(target)) continue;
      if (target !== undefined && this.#shapes.collection(target) !== null) {
        const type = this.payload(target, 'create');
        members[name] = { type: relation?.kind === 'm2o' ? type : new GraphQLList(type) };
      } else if (isColumn(field)) {
        const isKey = keys.has(name);
        const { column } = field;
        const isGiven = column.identity !== null || column.sequence !== null;
        const type = isKey ? GraphQLID : SCALARS[this.#scalarOf(collection, name)];
        const required =
          action === 'create' &&
          !isKey &&
          !isGiven &&
          !column.nullable &&
          column.defaultExpression === null &&
          !isConcealed(field) &&
          this.#shapes.rights.of(collection, 'create').every(({ presets }) => !(name in presets));
        members[name] = { type: required ? new GraphQLNonNull(type) : type };
      }
    }
    return members;
  }

  #scalarOf(collection: string, name: string): ScalarName {
    const shape = this.#shapes.of(collection).get(name);
    return shape?.kind === 'value' ? shape.scalar : 'JSON';
  }
}
