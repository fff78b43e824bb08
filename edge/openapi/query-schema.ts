/**
 * The schema of a collection's queries: fields, conditions, order, groups, and queries of
 * relations.
 */
import type { Collection, ColumnField } from '#core/model/catalog/catalog.ts';
import { isConcealed } from '#core/model/catalog/catalog.ts';
import { AGGREGATE_FUNCTIONS } from '#core/query/aggregate.ts';
import { DATE_FUNCTIONS, TIME_FUNCTIONS } from '#core/query/function-call.ts';
import { ITEM_PARAMETERS } from '#edge/rest/parameter/item.ts';
import type { QueryPart } from '#edge/rest/route-facts.ts';
import { conditionOf, INTEGER_CONDITION } from './condition-schema.ts';
import {
  anyOf,
  type JsonSchema,
  jsonSchemaOf,
  listOf,
  objectOf,
  oneOf,
  refTo,
  TEXT,
} from './json-schema.ts';
import type { Part, SchemaVisibility } from './visibility.ts';

type Properties = Record<string, JsonSchema>;

const FUNCTIONS: Readonly<Record<string, readonly string[]>> = {
  date: DATE_FUNCTIONS,
  time: TIME_FUNCTIONS,
  dateTime: [...DATE_FUNCTIONS, ...TIME_FUNCTIONS],
  timestamp: [...DATE_FUNCTIONS, ...TIME_FUNCTIONS],
};

/** The functions on a field, in query syntax. */
function callsOf(field: ColumnField): readonly string[] {
  if (isConcealed(field)) return [];
  return (FUNCTIONS[field.type] ?? []).map((name) => `${name}(${field.name})`);
}

/** Whether values of the type have an order. */
function isOrdered({ type }: ColumnField): boolean {
  return type !== 'json' && !type.startsWith('geometry');
}

function shown(sight: SchemaVisibility, collection: Collection): readonly ColumnField[] {
  return sight.columns(collection).filter((field) => !isConcealed(field));
}

/** Known names, or other texts: paths through relations, aliases. */
function named(names: readonly string[]): JsonSchema {
  return anyOf([oneOf(names), TEXT]);
}

function fieldsSchema(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const own = sight.columns(collection).map(({ name }) => name);
  const related = sight.relations(collection).map(([name]) => `${name}.*`);
  return listOf(named([...new Set(['*', ...own, ...related])]));
}

function sortSchema(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const names = shown(sight, collection).filter(isOrdered);
  return listOf(named(names.flatMap(({ name }) => [name, `-${name}`])));
}

function groupsSchema(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const fields = shown(sight, collection).filter(isOrdered);
  const names = fields.flatMap((field) => [field.name, ...callsOf(field)]);
  return listOf(names.length === 0 ? TEXT : oneOf(names));
}

const NUMERIC: ReadonlySet<string> = new Set(['integer', 'bigInteger', 'float', 'decimal']);
const UNORDERED: ReadonlySet<string> = new Set(['json', 'boolean', 'binary', 'uuid', 'unknown']);

/** A list of names, as an array or separated by commas. */
function someOf(names: readonly string[]): JsonSchema {
  return anyOf([oneOf(names), { ...listOf(oneOf(names)), minItems: 1 }]);
}

function aggregateSchema(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const fields = shown(sight, collection);
  const all = fields.map(({ name }) => name);
  const numbers = fields.filter(({ type }) => NUMERIC.has(type)).map(({ name }) => name);
  const ordered = fields
    .filter(({ type }) => !UNORDERED.has(type) && !type.startsWith('geometry'))
    .map(({ name }) => name);
  const properties: Properties = { countAll: oneOf(['*']), count: someOf(['*', ...all]) };
  for (const name of AGGREGATE_FUNCTIONS) {
    const names =
      name === 'min' || name === 'max' ? ordered : name === 'countDistinct' ? all : numbers;
    if (names.length > 0) properties[name] ??= someOf(names);
  }
  return { ...objectOf(properties), minProperties: 1 };
}

/** A condition on items of another collection. */
function condition(sight: SchemaVisibility, target: string): JsonSchema {
  return sight.ref(target, 'Filter');
}

function filterSchema(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const self = condition(sight, collection.name);
  const properties: Properties = {};
  for (const field of sight.columns(collection)) {
    properties[field.name] = conditionOf(field);
    for (const call of callsOf(field)) properties[call] = refTo('schemas', INTEGER_CONDITION);
  }
  for (const [name, relation] of sight.relations(collection)) {
    const targets = sight.targets(relation);
    const [target = ''] = targets;
    const own = properties[name];
    if (relation.kind === 'a2o') {
      for (const one of targets) properties[`${name}:${one}`] = condition(sight, one);
    } else if (relation.kind === 'm2o') {
      properties[name] = anyOf([condition(sight, target), ...(own === undefined ? [] : [own])]);
    } else {
      const some = condition(sight, target);
      const quantified = { ...objectOf({ _some: some, _none: some }), minProperties: 1 };
      properties[name] = anyOf([some, quantified]);
      properties[`count(${name})`] = refTo('schemas', INTEGER_CONDITION);
    }
  }
  const several = { ...listOf(self), minItems: 1 };
  return { ...objectOf({ ...properties, _and: several, _or: several }), minProperties: 1 };
}

/** Aliases, and the fields that they refer to. */
export const ALIAS: JsonSchema = {
  type: 'object',
  additionalProperties: { ...TEXT, minLength: 1 },
};

/** The query parameters of one level. */
function levelOf(sight: SchemaVisibility, { name }: Collection) {
  const { search, limit, offset, page } = ITEM_PARAMETERS;
  return {
    fields: sight.ref(name, 'Fields'),
    filter: sight.ref(name, 'Filter'),
    search: jsonSchemaOf(search.schema),
    sort: sight.ref(name, 'Sort'),
    limit: jsonSchemaOf(limit.schema),
    offset: jsonSchemaOf(offset.schema),
    page: jsonSchemaOf(page.schema),
    alias: ALIAS,
    aggregate: sight.ref(name, 'Aggregate'),
    groupBy: sight.ref(name, 'Groups'),
  };
}

/** The nested queries on the relations of a collection. */
function deepSchema(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const { groupBy: _group, ...level } = levelOf(sight, collection);
  const own = Object.entries({ ...level, ...(_group === undefined ? {} : { group: _group }) });
  const properties: Properties = Object.fromEntries(own.map(([name, part]) => [`_${name}`, part]));
  for (const [name, relation] of sight.relations(collection)) {
    for (const target of sight.targets(relation)) {
      const key = relation.kind === 'a2o' ? `${name}:${target}` : name;
      properties[key] = sight.ref(target, 'Deep');
    }
  }
  // A relation under an alias.
  return { type: 'object', properties, additionalProperties: { type: 'object' } };
}

/** A query as an object: in the body of SEARCH, and of a write by query. */
function querySchema(sight: SchemaVisibility, collection: Collection): JsonSchema {
  const { meta, backlink, version } = ITEM_PARAMETERS;
  return objectOf({
    ...levelOf(sight, collection),
    deep: sight.ref(collection.name, 'Deep'),
    meta: jsonSchemaOf(meta.schema),
    backlink: jsonSchemaOf(backlink.schema),
    version: jsonSchemaOf(version.schema),
  });
}

/** The query schemas of a collection, by the suffix of their names. */
export function querySchemas(
  sight: SchemaVisibility,
  collection: Collection,
): readonly (readonly [Part, JsonSchema])[] {
  return [
    ['Fields', fieldsSchema(sight, collection)],
    ['Sort', sortSchema(sight, collection)],
    ['Groups', groupsSchema(sight, collection)],
    ['Aggregate', aggregateSchema(sight, collection)],
    ['Filter', filterSchema(sight, collection)],
    ['Deep', deepSchema(sight, collection)],
    ['Query', querySchema(sight, collection)],
  ];
}

/** The schema of a parameter that is part of a query. */
export function partSchema(
  sight: SchemaVisibility,
  { name }: Collection,
  part: QueryPart,
): JsonSchema {
  switch (part) {
    case 'fields':
      return sight.ref(name, 'Fields');
    case 'filter':
      return sight.ref(name, 'Filter');
    case 'sort':
      return sight.ref(name, 'Sort');
    case 'groupBy':
      return sight.ref(name, 'Groups');
    case 'aggregate':
      return sight.ref(name, 'Aggregate');
    case 'deep':
      return sight.ref(name, 'Deep');
    case 'alias':
      return ALIAS;
  }
}
