/**
 * The routes that fields and relations share. A collection and a field identify both; all callers
 * may read them, and administrators may change them.
 */
import * as v from 'valibot';
import type { Caller } from '#core/access/grants.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import type { SchemaView } from '#core/services/schema/schema-view.ts';
import { type Call, type CallHandler, jsonTextResponse, pathParameter } from './call.ts';
import { dataAnswer, NO_CONTENT_ANSWER, type RouteEntry, writtenDataAnswer } from './route.ts';
import type { BodyFacts, ParameterTable } from './route-facts.ts';
import {
  CHANGE_PARAMETERS,
  changeAndShow,
  deleteSchemaPart,
  SCHEMA_CHANGE_ROUTE,
} from './schema-change.ts';

/** A field or a relation, as a path identifies it. */
export interface PartName {
  readonly collection: string;
  readonly field: string;
}

export interface SchemaPart {
  readonly path: string;
  /** Singular and plural for messages. */
  readonly one: string;
  readonly many: string;
  readonly all: (call: Call) => Promise<string>;
  readonly of: (call: Call, collection: string) => Promise<string>;
  /** The parameters of lists. */
  readonly listParameters?: ParameterTable;
  readonly shown: (view: SchemaView, caller: Caller, name: PartName) => Promise<string>;
  readonly updateBody: BodyFacts;
  /** The schema of its representation. */
  readonly shape: v.GenericSchema;
  readonly update: (call: Call, name: PartName, body: unknown) => SchemaChange;
  readonly remove: (name: PartName) => SchemaChange;
}

export function schemaPartRoutes(part: SchemaPart): readonly RouteEntry[] {
  const nameOf = (call: Call): PartName => ({
    collection: pathParameter(call, 'collection'),
    field: pathParameter(call, 'field'),
  });
  const read = ({ caller, services }: Call, name: PartName) =>
    part.shown(services.schemaView, caller, name);

  const list: CallHandler = async (call) => jsonTextResponse(await part.all(call));
  const listOf: CallHandler = async (call) =>
    jsonTextResponse(await part.of(call, pathParameter(call, 'collection')));
  const readOne: CallHandler = async (call) => jsonTextResponse(await read(call, nameOf(call)));
  const update: CallHandler = async (call) => {
    const name = nameOf(call);
    const change = part.update(call, name, await call.request.body.json());
    return changeAndShow(call, { change, read: () => read(call, name) });
  };
  const remove: CallHandler = (call) => {
    const name = nameOf(call);
    return deleteSchemaPart(call, { change: part.remove(name), read: () => read(call, name) });
  };

  const { path, one, many, updateBody } = part;
  const onePath = `${path}/:collection/:field`;
  const needs = [{ action: 'read', collection: `system${path.replace('/', '_')}` }] as const;
  const reading = { method: 'GET', access: 'rights', needs, body: null } as const;
  const changing = { ...SCHEMA_CHANGE_ROUTE, parameters: CHANGE_PARAMETERS };
  const listing = {
    ...{ ...reading, answer: dataAnswer(v.array(part.shape)) },
    ...(part.listParameters && { parameters: part.listParameters }),
  };
  return [
    { ...listing, path, summary: `Lists ${many}`, handle: list },
    {
      ...listing,
      path: `${path}/:collection`,
      summary: `Lists ${many} of a collection`,
      handle: listOf,
    },
    {
      ...reading,
      path: onePath,
      summary: `Reads ${one}`,
      answer: dataAnswer(part.shape),
      handle: readOne,
    },
    {
      ...changing,
      method: 'PATCH',
      path: onePath,
      summary: `Changes ${one}`,
      body: updateBody,
      answer: { ...writtenDataAnswer(part.shape), job: true },
      handle: update,
    },
    {
      ...changing,
      method: 'DELETE',
      path: onePath,
      summary: `Removes ${one}`,
      body: null,
      answer: { ...NO_CONTENT_ANSWER, job: true },
      handle: remove,
    },
  ];
}
