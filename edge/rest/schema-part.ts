/**
 * The routes that fields and relations share: a collection and a field identify both, everybody
 * reads them, administrators change them.
 */
import type { Caller } from '#core/access/grants.ts';
import type { SchemaChange } from '#core/schema/schema-change.ts';
import type { SchemaView } from '#core/services/schema/schema-view.ts';
import { type Call, type CallHandler, jsonText, param } from './call.ts';
import { type BodyFacts, DATA, NOTHING, type RouteEntry, WRITTEN } from './route.ts';
import { CHANGE_PARAMETERS, changeOne, removeOne } from './schema-change.ts';

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
  readonly all: (view: SchemaView, caller: Caller) => Promise<string>;
  readonly of: (view: SchemaView, caller: Caller, collection: string) => Promise<string>;
  readonly shown: (view: SchemaView, caller: Caller, name: PartName) => Promise<string>;
  readonly updateBody: BodyFacts;
  readonly update: (call: Call, name: PartName, body: unknown) => SchemaChange;
  readonly remove: (name: PartName) => SchemaChange;
}

export function partRoutes(part: SchemaPart): readonly RouteEntry[] {
  const nameOf = (call: Call): PartName => ({
    collection: param(call, 'collection'),
    field: param(call, 'field'),
  });
  const read = ({ caller, services }: Call, name: PartName) =>
    part.shown(services.schemaView, caller, name);

  const list: CallHandler = async ({ caller, services }) =>
    jsonText(await part.all(services.schemaView, caller));
  const listOf: CallHandler = async (call) =>
    jsonText(await part.of(call.services.schemaView, call.caller, param(call, 'collection')));
  const readOne: CallHandler = async (call) => jsonText(await read(call, nameOf(call)));
  const update: CallHandler = async (call) => {
    const name = nameOf(call);
    const change = part.update(call, name, await call.request.body.json());
    return changeOne(call, { change, read: () => read(call, name) });
  };
  const remove: CallHandler = (call) => {
    const name = nameOf(call);
    return removeOne(call, { change: part.remove(name), read: () => read(call, name) });
  };

  const { path, one, many, updateBody } = part;
  const onePath = `${path}/:collection/:field`;
  const reading = { method: 'GET', access: 'rights', body: null, answer: DATA } as const;
  const changing = { access: 'administrator', parameters: CHANGE_PARAMETERS } as const;
  return [
    { ...reading, path, summary: `Lists ${many}`, handle: list },
    {
      ...reading,
      path: `${path}/:collection`,
      summary: `Lists ${many} of a collection`,
      handle: listOf,
    },
    { ...reading, path: onePath, summary: `Reads ${one}`, handle: readOne },
    {
      ...changing,
      method: 'PATCH',
      path: onePath,
      summary: `Changes ${one}`,
      body: updateBody,
      answer: { ...WRITTEN, job: true },
      handle: update,
    },
    {
      ...changing,
      method: 'DELETE',
      path: onePath,
      summary: `Removes ${one}`,
      body: null,
      answer: { ...NOTHING, job: true },
      handle: remove,
    },
  ];
}
