/**
 * JSON Schema as in OpenAPI 3.1 (draft 2020-12): its parts, and the conversion of validation
 * schemas.
 */

import { type OverrideActionContext, toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { JsonObject } from '#core/base/json/json-object.ts';
import { oncePer } from '#core/base/once-per.ts';

/** A schema by its keywords. */
export type JsonSchema = JsonObject;

export const NULL: JsonSchema = { type: 'null' };
export const TEXT: JsonSchema = { type: 'string' };
export const INTEGER: JsonSchema = { type: 'integer' };
export const FLAG: JsonSchema = { type: 'boolean' };
export const ANYTHING: JsonSchema = {};

export function refTo(kind: 'schemas' | 'parameters' | 'responses', name: string): JsonSchema {
  return { $ref: `#/components/${kind}/${name}` };
}

/** Any of several schemas; a single schema is returned unchanged. */
export function anyOf(schemas: readonly JsonSchema[]): JsonSchema {
  const [only] = schemas;
  return schemas.length === 1 && only !== undefined ? only : { anyOf: schemas };
}

/** The same value, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values, anyOf: several } = schema;
  if (Array.isArray(several)) return { ...schema, anyOf: [...several, NULL] };
  if (typeof type !== 'string')
    return Object.keys(schema).length === 0 ? schema : anyOf([schema, NULL]);
  return {
    ...schema,
    type: [type, 'null'],
    ...(Array.isArray(values) ? { enum: [...values, null] } : {}),
  };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** One of several texts. */
export function oneOf(values: readonly unknown[]): JsonSchema {
  return { type: 'string', enum: values };
}

/** An object with exactly these members. */
export function objectOf(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
): JsonSchema {
  const demanded = required.length === 0 ? {} : { required };
  return { type: 'object', properties, ...demanded, additionalProperties: false };
}

/** The members that are validated after other members were dropped. */
const shown = v.object({ metadata: v.object({ members: v.custom<v.GenericSchema>(isSchema) }) });

function isSchema(value: unknown): boolean {
  return v.is(v.looseObject({ kind: v.literal('schema') }), value);
}

/** The parts of a schema that the library does not convert. */
function overridden({ valibotAction, jsonSchema }: OverrideActionContext) {
  if (v.is(shown, valibotAction)) return jsonSchemaOf(valibotAction.metadata.members);
  if ('requirement' in valibotAction && valibotAction.requirement instanceof RegExp) {
    // JSON Schema already interprets patterns as Unicode.
    return { ...jsonSchema, pattern: valibotAction.requirement.source };
  }
  return undefined;
}

function converted(schema: v.GenericSchema) {
  return toJsonSchema(schema, {
    ...{ target: 'draft-2020-12', typeMode: 'input', errorMode: 'ignore' },
    overrideAction: overridden,
  });
}

/** Converts a validation schema to the JSON Schema of a request or response. */
export const jsonSchemaOf = oncePer((schema: v.GenericSchema): JsonSchema => {
  const { $schema: _, ...made } = converted(schema);
  return made;
});
