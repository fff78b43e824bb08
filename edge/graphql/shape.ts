/**
 * What a caller sees of the catalog, as GraphQL names it: the fields of each collection, and what they
 * lead to. The schema is built from it, and operations are compiled with it.
 */
import { knownRelation } from '#core/access/known.ts';
import type { Action, Rights } from '#core/access/rights.ts';
import type { Catalog, Collection, ColumnField, Field } from '#core/catalog/catalog.ts';
import { isColumn } from '#core/catalog/catalog.ts';
import { isConcealed } from '#core/catalog/concealed-field.ts';
import type { Relation } from '#core/catalog/relation.ts';
import { DATE_FUNCTIONS, type FunctionName, TIME_FUNCTIONS } from '#core/query/call.ts';
import type { ValueForm } from '#core/query/query.ts';
import { systemName } from '#core/system-collections/name.ts';

/** The scalars of values. */
export type ScalarName =
  | 'Boolean'
  | 'Int'
  | 'Float'
  | 'String'
  | 'ID'
  | 'GraphQLBigInt'
  | 'GraphQLGeoJSON'
  | 'JSON'
  | 'Date'
  | 'Hash'
  | 'List';

/** What a name of an object type stands for. */
export type FieldShape =
  | {
      readonly kind: 'value';
      readonly field: ColumnField;
      /** `List` is a list of texts. */
      readonly scalar: ScalarName;
      /** How it has to be written, when not as in REST. */
      readonly form: ValueForm | null;
      readonly required: boolean;
    }
  | { readonly kind: 'one' | 'list'; readonly target: string; readonly note: string | null }
  | {
      readonly kind: 'any';
      readonly union: string;
      readonly targets: readonly string[];
    }
  | {
      readonly kind: 'functions';
      readonly of: string;
      readonly type: string;
      readonly functions: readonly FunctionName[];
    };

const NAME = /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/;
const RESERVED: ReadonlySet<string> = new Set([
  ...['Query', 'Mutation', 'Subscription', 'Int', 'Float', 'String', 'Boolean', 'ID', 'DateTime'],
  ...['Date', 'JSON', 'Hash', 'Void', 'Point', 'PointList', 'Polygon', 'MultiPolygon', 'uid'],
]);

/** Whether GraphQL can name it. */
function isNameable(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name);
}

function scalarOf(field: ColumnField, isKey: boolean): ScalarName {
  if (isKey) return 'ID';
  if (field.type === 'hash' || isConcealed(field)) return 'Hash';
  switch (field.type) {
    case 'boolean':
      return 'Boolean';
    case 'integer':
      return 'Int';
    case 'bigInteger':
      return 'GraphQLBigInt';
    case 'float':
    case 'decimal':
      return 'Float';
    case 'csv':
      return 'List';
    case 'json':
    case 'binary':
      return 'JSON';
    case 'date':
    case 'time':
    case 'dateTime':
    case 'timestamp':
      return 'Date';
    case 'uuid':
      return 'ID';
    default:
      return field.type.startsWith('geometry') ? 'GraphQLGeoJSON' : 'String';
  }
}

function formOf({ type }: ColumnField, scalar: ScalarName): ValueForm | null {
  if (scalar === 'ID') return type === 'integer' || type === 'float' ? 'text' : null;
  return scalar === 'Float' ? 'number' : null;
}

const FUNCTIONS: Readonly<Record<string, { type: string; functions: readonly FunctionName[] }>> = {
  date: { type: 'date_functions', functions: DATE_FUNCTIONS },
  time: { type: 'time_functions', functions: TIME_FUNCTIONS },
  dateTime: { type: 'datetime_functions', functions: [...DATE_FUNCTIONS, ...TIME_FUNCTIONS] },
  timestamp: { type: 'datetime_functions', functions: [...DATE_FUNCTIONS, ...TIME_FUNCTIONS] },
};
const COUNT_FUNCTIONS = 'count_functions';

function noteOf({ meta }: Field): string | null {
  const note = meta?.row.note;
  return typeof note === 'string' ? note : null;
}

/** Collections that are shown as the schema, with types of their own. */
const OF_THE_SCHEMA: ReadonlySet<string> = new Set(
  ['collections', 'fields', 'relations'].map(systemName),
);

/** Everything that one set of rights sees of one catalog. */
export class Shapes {
  readonly catalog: Catalog;
  readonly rights: Rights;
  readonly #known = new Map<string, ReadonlyMap<string, FieldShape>>();

  constructor(catalog: Catalog, rights: Rights) {
    this.catalog = catalog;
    this.rights = rights;
  }

  /** A collection that GraphQL can name and that has a table. */
  collection(name: string): Collection | null {
    if (OF_THE_SCHEMA.has(name)) return null;
    const found = this.catalog.collections.get(name);
    return found !== undefined && found.table !== null && isNameable(name) ? found : null;
  }

  /** Whether the caller may do something with any item of it. */
  may(action: Action, name: string): boolean {
    return this.rights.of(name, action).length > 0;
  }

  /** A relation whose items may be written; undefined for one that the caller may not know. */
  written(collection: string, field: string): Relation | undefined {
    return knownRelation(this.catalog, this.rights, collection, field);
  }

  isReadable(name: string): boolean {
    return this.collection(name) !== null && this.may('read', name);
  }

  /** Whether a permission for the action names the field. */
  mayField(action: Action, collection: string, field: string): boolean {
    return this.rights
      .of(collection, action)
      .some(({ fields }) => fields === null || fields.has(field));
  }

  /** Whether every row that is seen shows the field. */
  #isAlwaysSeen(collection: string, field: string): boolean {
    return this.rights
      .of(collection, 'read')
      .every(({ fields }) => fields === null || fields.has(field));
  }

  /** The fields of a readable collection by their names in GraphQL, in the order of the catalog. */
  of(name: string): ReadonlyMap<string, FieldShape> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const shapes = this.#make(name);
    this.#known.set(name, shapes);
    return shapes;
  }

  /** A relation whose items GraphQL shows; null for one that is a mere value, or nothing. */
  relationShape(relation: Relation | undefined, note: string | null): FieldShape | null {
    if (relation === undefined) return null;
    if (relation.kind === 'a2o') {
      const targets = relation.allowed
        .map(({ collection }) => collection)
        .filter((target) => this.isReadable(target));
      if (targets.length === 0) return null;
      return { kind: 'any', union: `${relation.collection}_${relation.field}_union`, targets };
    }
    if (relation.kind === 'm2o') {
      const target = relation.one.collection;
      return this.isReadable(target) ? { kind: 'one', target, note } : null;
    }
    const target = relation.many.collection;
    return this.isReadable(target) ? { kind: 'list', target, note } : null;
  }

  #make(name: string): ReadonlyMap<string, FieldShape> {
    const shapes = new Map<string, FieldShape>();
    const collection = this.collection(name);
    if (collection === null) return shapes;
    const relations = this.catalog.relations.get(name);
    const keys = new Set(collection.primaryKey.map((field) => field.name));
    for (const field of collection.fields.values()) {
      if (!isNameable(field.name) || !this.mayField('read', name, field.name)) continue;
      const shape = this.#shapeOf(collection, field, relations?.get(field.name), keys);
      if (shape !== null) shapes.set(field.name, shape);
    }
    // A relation that only a foreign key tells of has no field of its own.
    for (const [field, relation] of relations ?? []) {
      if (shapes.has(field) || !isNameable(field) || !this.mayField('read', name, field)) continue;
      if (collection.fields.has(field)) continue;
      const shape = this.relationShape(relation, null);
      if (shape !== null) shapes.set(field, shape);
    }
    for (const [field, shape] of [...shapes]) {
      const functions = this.#functionsOf(name, field, shape);
      if (functions !== null && !shapes.has(`${field}_func`)) {
        shapes.set(`${field}_func`, functions);
      }
    }
    return shapes;
  }

  #shapeOf(
    collection: Collection,
    field: Field,
    relation: Relation | undefined,
    keys: ReadonlySet<string>,
  ): FieldShape | null {
    const related = this.relationShape(relation, noteOf(field));
    if (related !== null) return related;
    if (!isColumn(field)) return null;
    const scalar = scalarOf(field, keys.has(field.name));
    const { nullable, defaultExpression, generatedExpression } = field.column;
    const isGiven = !nullable && defaultExpression === null && generatedExpression === null;
    const isSeen = this.#isAlwaysSeen(collection.name, field.name);
    const required = (isGiven || keys.has(field.name)) && isSeen;
    return { kind: 'value', field, scalar, form: formOf(field, scalar), required };
  }

  #functionsOf(collection: string, name: string, shape: FieldShape): FieldShape | null {
    if (shape.kind === 'list') {
      return { kind: 'functions', of: name, type: COUNT_FUNCTIONS, functions: ['count'] };
    }
    if (shape.kind !== 'value' || isConcealed(shape.field)) return null;
    const { type } = shape.field;
    if (type === 'json') {
      const functions = ['count', 'json'] as const;
      return { kind: 'functions', of: name, type: `${collection}_${name}_func`, functions };
    }
    const known = FUNCTIONS[type];
    return known === undefined ? null : { kind: 'functions', of: name, ...known };
  }
}
