/** The routes of the schema as a whole: `/schema/snapshot`, `/schema/diff` and `/schema/apply`. */
import * as v from 'valibot';
import { invalidPayload, invalidQuery } from '#core/errors/service-error.ts';
import { parseList } from '#core/query/parse/list.ts';
import { isStorable } from '#core/schema/change-input.ts';
import { rightsParts } from '#core/schema/rights-snapshot.ts';
import type { SnapshotChoice } from '#core/schema/snapshot.ts';
import { DIFF_MODES, type DiffMode, isEmpty, schemaDiff } from '#core/schema/snapshot-diff.ts';
import type { Response } from '#edge/http/response.ts';
import { type Call, type CallHandler, data, jsonText, NO_CONTENT } from './call.ts';
import { anyObject, DATA, parsedBody, type RouteEntry, WRITTEN } from './route.ts';
import { CHANGE_PARAMETERS, changeSchema, flag } from './schema-change.ts';
import { receivedSnapshot, snapshotDownload, snapshotText } from './snapshot-file.ts';

function names({ parameters }: Call, name: string): readonly string[] | undefined {
  const value = parameters[name];
  return value === undefined || value === '' ? undefined : parseList(name, value);
}

function choiceOf(call: Call): SnapshotChoice {
  const include = names(call, 'includeCollections');
  const exclude = names(call, 'excludeCollections');
  return {
    ...(include === undefined ? {} : { include }),
    ...(exclude === undefined ? {} : { exclude }),
  };
}

const snapshot: CallHandler = async (call) => {
  const { caller, parameters, services } = call;
  const parts = rightsParts(names(call, 'with') ?? []);
  const taken = await services.snapshots.take(caller, choiceOf(call), parts);
  if (parameters.export !== undefined) return snapshotDownload(taken, parameters.export);
  return jsonText(await snapshotText(taken));
};

function modeOf({ parameters }: Call): DiffMode {
  const { mode } = parameters;
  if (mode === undefined || mode === '') return 'mirror';
  const known = DIFF_MODES.find((entry) => entry === mode);
  if (known !== undefined) return known;
  throw invalidQuery(`"mode" must be one of ${DIFF_MODES.join(', ')}.`);
}

const diff: CallHandler = async (call) => {
  const { caller, services } = call;
  const options = { mode: modeOf(call), force: flag(call, 'force') };
  const found = await services.snapshots.diff(caller, await receivedSnapshot(call), options);
  return found === null ? NO_CONTENT : data(found);
};

const application = v.object({ hash: v.string('must be a text'), diff: schemaDiff });

async function apply(call: Call, body: v.InferOutput<typeof application>): Promise<Response> {
  const { hash, diff } = body;
  if (!isStorable(diff)) throw invalidPayload('It contains a text that is not valid Unicode.');
  const force = flag(call, 'force');
  if (flag(call, 'dryRun')) {
    const sql = isEmpty(diff)
      ? []
      : await call.services.snapshots.try(call.caller, { hash, diff, force });
    return data({ sql });
  }
  if (isEmpty(diff)) return NO_CONTENT;
  return changeSchema(call, { kind: 'apply', hash, diff, force }, null);
}

export const SCHEMA_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/schema/snapshot',
    summary: 'Takes a snapshot of the schema',
    access: 'administrator',
    parameters: ['includeCollections', 'excludeCollections', 'with', 'export'],
    body: null,
    answer: DATA,
    handle: snapshot,
  },
  {
    method: 'POST',
    path: '/schema/diff',
    summary: 'Compares the schema with a snapshot',
    access: 'administrator',
    parameters: ['mode', 'force'],
    body: {
      types: ['application/json', 'multipart/form-data'],
      schema: anyObject,
      limit: 'BODY_MAX_SIZE',
    },
    answer: WRITTEN,
    handle: diff,
  },
  {
    method: 'POST',
    path: '/schema/apply',
    summary: 'Applies a diff to the schema',
    access: 'administrator',
    parameters: ['dryRun', ...CHANGE_PARAMETERS],
    answer: { ...WRITTEN, job: true },
    ...parsedBody(application, apply, 'BODY_MAX_SIZE'),
  },
];
