/** Coerces the values of a document's variables to their types. */
import { getVariableValues, type OperationDefinitionNode } from 'graphql';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import type { ValidDocument } from './valid-document.ts';

/** Members that every JavaScript object inherits, such as `constructor`. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/** Whether a document contains the name of a member that objects inherit. */
export function mentionsInheritedMember(names: ReadonlySet<string>): boolean {
  return INHERITED.some((name) => names.has(name));
}

/** The same value, whose objects have only their own members. */
function ownOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ownOnly);
  return isJsonObject(value) ? ownMembers(value) : value;
}

function ownMembers(object: JsonObject): JsonObject {
  const own = Object.create(null);
  for (const [name, member] of Object.entries(object)) own[name] = ownOnly(member);
  return own;
}

/** Coerces the variables that a client sent. */
export function coerceVariables(
  { endpoint, inherits }: ValidDocument,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: JsonObject | null,
): ReturnType<typeof getVariableValues> {
  const given = sent ?? {};
  return getVariableValues(
    endpoint.schema,
    variableDefinitions,
    inherits ? ownMembers(given) : given,
    { hideSuggestions: true, maxErrors: 20 },
  );
}
