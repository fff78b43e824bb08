/** The values of a document's variables, as their types coerce them. */
import { getVariableValues, type OperationDefinitionNode } from 'graphql';
import { isJsonObject, type JsonObject } from '#core/base/json/json-object.ts';
import type { ValidDocument } from './valid-document.ts';

/** What every object of JavaScript has, such as `constructor`. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/** Whether a document names a member that objects have without being given it. */
export function mentionsInheritedMember(names: ReadonlySet<string>): boolean {
  return INHERITED.some((name) => names.has(name));
}

/** The same value, whose objects have what they were given and nothing else. */
function ownOnly(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ownOnly);
  return isJsonObject(value) ? ownMembers(value) : value;
}

function ownMembers(object: JsonObject): JsonObject {
  const own = Object.create(null);
  for (const [name, member] of Object.entries(object)) own[name] = ownOnly(member);
  return own;
}

/** Coerces what a client sent as variables. */
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
