/** The routes of the schema as a whole: `/schema/snapshot`, `/schema/diff` and `/schema/apply`. */
import * as v from 'valibot';
import { reason } from '#core/base/errors/reason.ts';
import { invalidPayload, invalidQuery } from '#core/base/errors/service-error.ts';
import { parseList } from '#core/query/parse/list.ts';
import { isStorable } from '#core/schema/change-input.ts';
import { parseRightsParts, RIGHTS_PARTS } from '#core/schema/rights-snapshot.ts';
import type { SnapshotChoice } from '#core/schema/snapshot.ts';
import { DIFF_MODES, type DiffMode, isEmptyDiff, schemaDiff } from '#core/schema/snapshot-diff.ts';
import type { Response } from '#edge/http/response.ts';
import { diffSchema, dryRunSchema, snapshotSchema } from './answer/schema-part.ts';
import { type Call, type CallHandler, dataResponse, jsonTextResponse, NO_CONTENT } from './call.ts';
import { flagParameter } from './parameter/item.ts';
import {
  anyObjectBody,
  dataAnswer,
  parsedBody,
  type RouteEntry,
  writtenDataAnswer,
} from './route.ts';
import {
  booleanParameter,
  CHANGE_PARAMETERS,
  changeSchema,
  SCHEMA_CHANGE_ROUTE,
} from './schema-change.ts';
import { readSnapshotBody, snapshotDownload, snapshotText } from './snapshot-file.ts';

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
  const parts = parseRightsParts(names(call, 'with') ?? []);
  const taken = await services.snapshots.take(caller, choiceOf(call), parts);
  if (parameters.export !== undefined) return snapshotDownload(taken, parameters.export);
  return jsonTextResponse(await snapshotText(taken));
};

function modeOf({ parameters }: Call): DiffMode {
  const { mode } = parameters;
  if (mode === undefined || mode === '') return 'mirror';
  const known = DIFF_MODES.find((entry) => entry === mode);
  if (known !== undefined) return known;
  throw invalidQuery(reason('diff_mode_unknown', { modes: DIFF_MODES.join(', ') }));
}

const diff: CallHandler = async (call) => {
  const { caller, services } = call;
  const options = { mode: modeOf(call), force: booleanParameter(call, 'force') };
  const found = await services.snapshots.diff(caller, await readSnapshotBody(call), options);
  return found === null ? NO_CONTENT : dataResponse(found);
};

const application = v.object({ hash: v.string('must be a text'), diff: schemaDiff });

async function apply(call: Call, body: v.InferOutput<typeof application>): Promise<Response> {
  const { hash, diff } = body;
  if (!isStorable(diff)) throw invalidPayload(reason('body_invalid_unicode'));
  const force = booleanParameter(call, 'force');
  if (booleanParameter(call, 'dryRun')) {
    const sql = isEmptyDiff(diff)
      ? []
      : await call.services.snapshots.try(call.caller, { hash, diff, force });
    return dataResponse({ sql });
  }
  if (isEmptyDiff(diff)) return NO_CONTENT;
  return changeSchema(call, { kind: 'apply', hash, diff, force }, null);
}

const someNames = v.pipe(v.array(v.string()), v.minLength(1));

export const SCHEMA_ROUTES: readonly RouteEntry[] = [
  {
    method: 'GET',
    path: '/schema/snapshot',
    summary: 'Takes a snapshot of the schema',
    access: 'administrator',
    parameters: {
      includeCollections: { summary: 'Only these', schema: someNames, spelling: 'list' },
      excludeCollections: { summary: 'All but these', schema: someNames, spelling: 'list' },
      with: {
        summary: 'Rights that the snapshot has too',
        schema: v.array(v.picklist(RIGHTS_PARTS)),
        spelling: 'list',
      },
      export: { summary: 'As a file', schema: v.picklist(['json', 'yaml']) },
    },
    body: null,
    answer: dataAnswer(snapshotSchema),
    handle: snapshot,
  },
  {
    method: 'POST',
    path: '/schema/diff',
    summary: 'Compares the schema with a snapshot',
    access: 'administrator',
    parameters: {
      mode: {
        summary: 'Whether what the snapshot lacks is deleted',
        schema: v.picklist(DIFF_MODES),
      },
      force: { summary: 'Also of another version or vendor', schema: flagParameter },
    },
    body: {
      types: ['application/json', 'multipart/form-data'],
      schema: anyObjectBody,
      limit: 'BODY_MAX_SIZE',
    },
    answer: writtenDataAnswer(diffSchema),
    handle: diff,
  },
  {
    method: 'POST',
    path: '/schema/apply',
    summary: 'Applies a diff to the schema',
    ...SCHEMA_CHANGE_ROUTE,
    parameters: {
      dryRun: { summary: 'Only tells the statements', schema: flagParameter },
      ...CHANGE_PARAMETERS,
    },
    answer: { ...writtenDataAnswer(dryRunSchema), job: true },
    ...parsedBody(application, apply, 'BODY_MAX_SIZE'),
  },
];
