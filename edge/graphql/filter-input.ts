/** Converts a condition in GraphQL syntax to the common form of all APIs. */
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import type { FieldShape, SchemaShapes } from './schema-shapes.ts';

const GROUPS: ReadonlySet<string> = new Set(['_and', '_or']);
const QUANTIFIERS: ReadonlySet<string> = new Set(['_some', '_none']);

function ofField(
  shapes: SchemaShapes,
  shape: FieldShape,
  name: string,
  value: unknown,
): readonly (readonly [string, unknown])[] {
  if (shape.kind === 'one' || shape.kind === 'list') {
    return [[name, parseFilterInput(shapes, shape.target, value)]];
  }
  if (shape.kind === 'functions' && isJsonObject(value)) {
    return Object.entries(value).map(([called, condition]) => [
      `${called}(${shape.of})`,
      condition,
    ]);
  }
  return [[name, value]];
}

/** The target of a many-to-any relation in a name such as `<field>__<collection>`. */
function ofTarget(shapes: SchemaShapes, collection: string, name: string, value: unknown) {
  for (const [field, shape] of shapes.of(collection)) {
    if (shape.kind !== 'any') continue;
    const target = shape.targets.find((one) => name === `${field}__${one}`);
    if (target !== undefined)
      return [`${field}:${target}`, parseFilterInput(shapes, target, value)] as const;
  }
  return [name, value] as const;
}

/** @param value as coerced by the filter input type of the collection */
export function parseFilterInput(
  shapes: SchemaShapes,
  collection: string,
  value: unknown,
): unknown {
  if (!isJsonObject(value)) return value;
  const known = shapes.of(collection);
  const members = Object.entries(value).flatMap(([name, part]) => {
    if (GROUPS.has(name) && Array.isArray(part)) {
      return [[name, part.map((one) => parseFilterInput(shapes, collection, one))] as const];
    }
    if (QUANTIFIERS.has(name)) return [[name, parseFilterInput(shapes, collection, part)] as const];
    const shape = known.get(name);
    if (shape === undefined) return [ofTarget(shapes, collection, name, part)];
    return ofField(shapes, shape, name, part);
  });
  const filter: JsonObject = Object.fromEntries(members);
  return filter;
}
