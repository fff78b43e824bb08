/** The input types: conditions, and the payloads of writes. */
import {
  GraphQLID,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  GraphQLString,
} from 'graphql';
import { isColumn } from '#core/model/catalog/catalog.ts';
import { FUNCTION_TYPES } from './function-types.ts';
import { type Members, OPERATORS, SCALARS } from './operator-types.ts';
import type { ScalarName } from './scalar-name.ts';
import { type FieldShape, isName, type SchemaShapes } from './schema-shapes.ts';

/** Whether the documents of the schema contain a name. */
export type UsedNames = (name: string) => boolean;

export class InputTypes {
  readonly #shapes: SchemaShapes;
  readonly #wants: UsedNames;
  readonly #reaches: (collection: string) => boolean;
  readonly #types = new Map<string, GraphQLInputObjectType>();

  constructor(shapes: SchemaShapes, wants: UsedNames, reaches: (collection: string) => boolean) {
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
    const name = this.#shapes.names.filter(collection);
    return this.#type(name, () => this.#conditions(collection, this.filter(collection)));
  }

  /** The condition on a list of related items. */
  #quantified(collection: string): GraphQLInputObjectType {
    const name = this.#shapes.names.quantified(collection);
    return this.#type(name, () => ({
      ...this.#conditions(collection, this.filter(collection)),
      _some: { type: this.filter(collection) },
      _none: { type: this.filter(collection) },
    }));
  }

  #conditions(collection: string, self: GraphQLInputObjectType): Members {
    const members: Members = {};
    const shapes = this.#shapes.of(collection);
    for (const [name, shape] of shapes) {
      if (shape.kind === 'any') {
        for (const target of shape.targets) {
          const key = `${name}__${target}`;
          const isFree = isName(key) && !shapes.has(key);
          if (isFree && this.#wants(key) && this.#reaches(target)) {
            members[key] = { type: this.filter(target) };
          }
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
        return FUNCTION_TYPES[shape.set].filter;
    }
  }

  /**
   * The values of a new or updated item. No member is required: a nested value may be an existing
   * item, and a write reports missing values of a new one.
   */
  payload(collection: string, action: 'create' | 'update'): GraphQLInputObjectType {
    const name = this.#shapes.names.payload(collection, action);
    return this.#type(name, () => this.#values(collection, action));
  }

  #values(collection: string, action: 'create' | 'update'): Members {
    const members: Members = {};
    const keys = new Set(
      this.#shapes.collection(collection)?.primaryKey.map(({ name }) => name) ?? [],
    );
    for (const [name, field] of this.#shapes.writable(collection, action)) {
      if (!this.#wants(name)) continue;
      const relation = this.#shapes.written(collection, name);
      if (relation?.kind === 'a2o') {
        members[name] = { type: GraphQLString };
        continue;
      }
      const target = relation?.kind === 'm2o' ? relation.one.collection : relation?.many.collection;
      if (target !== undefined && !this.#reaches(target)) continue;
      if (target !== undefined && this.#shapes.isWritable(target, 'create')) {
        const type = this.payload(target, 'create');
        members[name] = { type: relation?.kind === 'm2o' ? type : new GraphQLList(type) };
      } else if (isColumn(field)) {
        members[name] = {
          type: keys.has(name) ? GraphQLID : SCALARS[this.#scalarOf(collection, name)],
        };
      }
    }
    return members;
  }

  #scalarOf(collection: string, name: string): ScalarName {
    const shape = this.#shapes.of(collection).get(name);
    return shape?.kind === 'value' ? shape.scalar : 'JSON';
  }
}
