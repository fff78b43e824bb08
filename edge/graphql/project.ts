/** Takes of a value what a selection asks for. */
import {
  type FieldNode,
  type GraphQLOutputType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { isJsonObject } from '#core/json/json-object.ts';
import { collectFields, type Surroundings } from './collect.ts';

/** @param nodes of the field that the value is of */
export function project(
  value: unknown,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  around: Surroundings,
): unknown {
  if (isNonNullType(type)) return project(value, type.ofType, nodes, around);
  if (isListType(type)) {
    if (!Array.isArray(value)) return null;
    return value.map((one) => project(one, type.ofType, nodes, around));
  }
  if (!isObjectType(type)) return value ?? null;
  if (!isJsonObject(value)) return null;
  const fields = type.getFields();
  const sets = nodes.map(({ selectionSet }) => selectionSet);
  const members = [...collectFields(sets, new Set([type.name]), around)].map(([key, own]) => {
    const name = own[0]?.name.value ?? '';
    if (name === '__typename') return [key, type.name];
    const found = fields[name];
    return [key, found === undefined ? null : project(value[name], found.type, own, around)];
  });
  return Object.fromEntries(members);
}
