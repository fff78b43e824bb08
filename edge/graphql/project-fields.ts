/** Selects the fields of a value according to a selection. */
import {
  type FieldNode,
  type GraphQLOutputType,
  GraphQLString,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { isJsonObject } from '#core/base/json/json-object.ts';
import { collectFields, type SelectionContext } from './collect-fields.ts';
import { BIG_INT } from './scalars.ts';

/** A value in the notation of its scalar. */
function shown(value: unknown, type: GraphQLOutputType): unknown {
  if (value === null || value === undefined) return null;
  const isText = type === GraphQLString || type === BIG_INT;
  if (!isText || typeof value === 'string') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/** @param nodes of the field with this value */
export function projectFields(
  value: unknown,
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  around: SelectionContext,
): unknown {
  if (isNonNullType(type)) return projectFields(value, type.ofType, nodes, around);
  if (isListType(type)) {
    if (!Array.isArray(value)) return null;
    return value.map((one) => projectFields(one, type.ofType, nodes, around));
  }
  if (!isObjectType(type)) return shown(value, type);
  if (!isJsonObject(value)) return null;
  const fields = type.getFields();
  const sets = nodes.map(({ selectionSet }) => selectionSet);
  const members = [...collectFields(sets, new Set([type.name]), around)].map(([key, own]) => {
    const name = own[0]?.name.value ?? '';
    if (name === '__typename') return [key, type.name];
    const found = fields[name];
    return [key, found === undefined ? null : projectFields(value[name], found.type, own, around)];
  });
  return Object.fromEntries(members);
}
