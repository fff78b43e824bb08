/**
 * The part of the catalog that is visible to a caller, with GraphQL names: the fields of each
 * collection, and their targets. It is the basis of the schema and of compiled operations.
 */

import { ACTIONS, type Action, type Rights } from '#core/access/rights.ts';
import { knownRelation } from '#core/access/schema-visibility.ts';
import type { Catalog, Collection, ColumnField, Field } from '#core/model/catalog/catalog.ts';
import { isColumn, isConcealed } from '#core/model/catalog/catalog.ts';
import type { Relation } from '#core/model/catalog/relation.ts';
import { systemName } from '#core/model/system-collections/name.ts';
import type { ValueForm } from '#core/query/query.ts';
import { FUNCTION_TYPES, type FunctionKind } from './function-types.ts';
import { type ScalarName, scalarOf, valueFormOf } from './scalar-name.ts';
import { TypeNames } from './type-names.ts';

/** The meaning of a field name in an object type. */
export type FieldShape =
  | {
      readonly kind: 'value';
      readonly field: ColumnField;
      readonly scalar: ScalarName;
      /** Its notation, if that differs from REST. */
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
      readonly set: FunctionKind;
      /** In addition to functions, it exposes members of a JSON document. */
      readonly isDocument: boolean;
    };

const NAME = /^(?!__)[_A-Za-z][_0-9A-Za-z]*$/;
const RESERVED: ReadonlySet<string> = new Set([
  ...['Query', 'Mutation', 'Subscription', 'Int', 'Float', 'String', 'Boolean', 'ID', 'DateTime'],
  // Names derived from it would begin with two underscores.
  '_',
  ...['Date', 'JSON', 'Hash', 'Void', 'Point', 'PointList', 'Polygon', 'MultiPolygon', 'uid'],
]);

/** Whether it is a valid name in GraphQL. */
export function isName(name: string): boolean {
  return NAME.test(name);
}

/** The functions of values, by the types of their fields. */
const FUNCTIONS_OF: Readonly<Record<string, FunctionKind>> = {
  date: 'date',
  time: 'time',
  dateTime: 'datetime',
  timestamp: 'datetime',
};

function noteOf({ meta }: Field): string | null {
  const note = meta?.row.note;
  return typeof note === 'string' ? note : null;
}

/** Collections that represent the schema, with their own types. */
const OF_THE_SCHEMA: ReadonlySet<string> = new Set(
  ['collections', 'fields', 'relations'].map(systemName),
);

/** The part of one catalog that one set of permissions makes visible. */
export class SchemaShapes {
  readonly catalog: Catalog;
  readonly rights: Rights;
  readonly names: TypeNames;
  readonly #known = new Map<string, ReadonlyMap<string, FieldShape>>();
  readonly #shown = new Map<string, boolean>();

  constructor(catalog: Catalog, rights: Rights) {
    this.catalog = catalog;
    this.rights = rights;
    this.names = new TypeNames({
      has: (name) => this.#isKnown(name),
      isUnion: (name, field) =>
        this.isReadable(name) &&
        this.mayField('read', name, field) &&
        catalog.relations.get(name)?.get(field)?.kind === 'a2o',
    });
  }

  #isKnown(name: string): boolean {
    return this.collection(name) !== null && ACTIONS.some((action) => this.may(action, name));
  }

  /** A collection that has a table and a valid GraphQL name. */
  collection(name: string): Collection | null {
    if (OF_THE_SCHEMA.has(name)) return null;
    const found = this.catalog.collections.get(name);
    return found !== undefined && found.table !== null && isName(name) && !RESERVED.has(name)
      ? found
      : null;
  }

  /** Whether the caller has permission for an action on some items of it. */
  may(action: Action, name: string): boolean {
    return this.rights.of(name, action).length > 0;
  }

  /** A relation whose items may be written; undefined when it is not visible to the caller. */
  written(collection: string, field: string): Relation | undefined {
    return knownRelation(this.catalog, this.rights, collection, field);
  }

  /** Whether the caller may read it, and any of its fields has a valid GraphQL name. */
  isReadable(name: string): boolean {
    const known = this.#shown.get(name);
    if (known !== undefined) return known;
    const shown = this.#shows(name, new Set());
    this.#shown.set(name, shown);
    return shown;
  }

  /** @param passed collections that are visited, to end cycles of relations */
  #shows(name: string, passed: Set<string>): boolean {
    const collection = this.collection(name);
    if (collection === null || !this.may('read', name) || passed.has(name)) return false;
    const isNamed = (field: string) => isName(field) && this.mayField('read', name, field);
    for (const field of collection.fields.values()) {
      if (isColumn(field) && isNamed(field.name)) return true;
    }
    passed.add(name);
    return [...(this.catalog.relations.get(name) ?? [])].some(
      ([field, relation]) =>
        relation.kind !== 'm2o' &&
        relation.kind !== 'a2o' &&
        isNamed(field) &&
        this.#shows(relation.many.collection, passed),
    );
  }

  /** The columns and relations that a caller may set in new or updated items, by name. */
  writable(name: string, action: 'create' | 'update'): ReadonlyMap<string, Field | undefined> {
    const found = new Map<string, Field | undefined>();
    const collection = this.collection(name);
    if (collection === null) return found;
    const keys = new Set(collection.primaryKey.map((field) => field.name));
    const isNamed = (field: string) =>
      isName(field) && (keys.has(field) || this.mayField(action, name, field));
    for (const [field, one] of collection.fields) if (isNamed(field)) found.set(field, one);
    // A relation that only a foreign key defines has no separate field.
    for (const field of this.catalog.relations.get(name)?.keys() ?? []) {
      if (!collection.fields.has(field) && isNamed(field)) found.set(field, undefined);
    }
    return found;
  }

  /** Whether any writable column of new or updated items has a valid GraphQL name. */
  isWritable(name: string, action: 'create' | 'update'): boolean {
    return [...this.writable(name, action).values()].some(isColumn);
  }

  /** Whether a permission for the action contains the field. */
  mayField(action: Action, collection: string, field: string): boolean {
    return this.rights
      .of(collection, action)
      .some(({ fields }) => fields === null || fields.has(field));
  }

  /** Whether the field is readable in every visible row. */
  #isAlwaysSeen(collection: string, field: string): boolean {
    return this.rights
      .of(collection, 'read')
      .every(({ fields }) => fields === null || fields.has(field));
  }

  /** The fields of a readable collection by their GraphQL names, in the order of the catalog. */
  of(name: string): ReadonlyMap<string, FieldShape> {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const shapes = this.#make(name);
    this.#known.set(name, shapes);
    return shapes;
  }

  /**
   * A relation whose items are visible in GraphQL; null for other relations, which are values or
   * invisible.
   */
  relationShape(relation: Relation | undefined, note: string | null): FieldShape | null {
    if (relation === undefined) return null;
    if (relation.kind === 'a2o') {
      const targets = relation.allowed
        .map(({ collection }) => collection)
        .filter((target) => this.isReadable(target));
      if (targets.length === 0) return null;
      const union = this.names.union(relation.collection, relation.field);
      return { kind: 'any', union, targets };
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
      if (!isName(field.name) || !this.mayField('read', name, field.name)) continue;
      const shape = this.#shapeOf(collection, field, relations?.get(field.name), keys);
      if (shape !== null) shapes.set(field.name, shape);
    }
    // A relation that only a foreign key defines has no separate field.
    for (const [field, relation] of relations ?? []) {
      if (shapes.has(field) || !isName(field) || !this.mayField('read', name, field)) continue;
      if (collection.fields.has(field)) continue;
      const shape = this.relationShape(relation, null);
      if (shape !== null) shapes.set(field, shape);
    }
    for (const [field, shape] of [...shapes]) {
      const functions = this.#functionsOf(name, field, shape);
      if (functions !== null && !shapes.has(`${field}_func`) && isName(`${field}_func`)) {
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
    return { kind: 'value', field, scalar, form: valueFormOf(field, scalar), required };
  }

  #functionsOf(collection: string, name: string, shape: FieldShape): FieldShape | null {
    const ofSet = (set: FunctionKind): FieldShape => {
      const type = FUNCTION_TYPES[set].output.name;
      return { kind: 'functions', of: name, type, set, isDocument: false };
    };
    if (shape.kind === 'list') return ofSet('count');
    if (shape.kind !== 'value' || isConcealed(shape.field)) return null;
    const { type } = shape.field;
    if (type === 'json') {
      const own = this.names.functions(collection, name);
      return { kind: 'functions', of: name, type: own, set: 'count', isDocument: true };
    }
    const set = FUNCTIONS_OF[type];
    return set === undefined ? null : ofSet(set);
  }
}
