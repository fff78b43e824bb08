/** The options of an import, and why it refuses rows. */
import { Readable } from 'node:stream';
import type pg from 'pg';
import type { Caller } from '#core/access/grants.ts';
import type { Rights } from '#core/access/rights.ts';
import { loadConfig } from '#core/base/config/config.ts';
import { type ServiceError, ServiceErrors } from '#core/base/errors/service-error.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { importDestination } from '#core/services/import-destination.ts';
import { queryBounds } from '#core/services/query-bounds.ts';
import { importFile } from '#core/transfer/import.ts';
import type { ImportOptions } from '#core/transfer/run/import-options.ts';
import { NO_RULE } from '#core/write/write-context.ts';

export const BOUNDS = queryBounds(loadConfig({}));

/** Who imports, and where to. */
export interface Importer {
  readonly catalog: Catalog;
  readonly rights: Rights;
  readonly caller: Caller;
  readonly collection: string;
}

export const hash = async (secret: string) => `hash of ${secret}`;

export function optionsOf(
  client: pg.ClientBase,
  { catalog, rights, caller, collection }: Importer,
  file: { readonly format: ImportFormat; readonly content: string },
  parameters: ImportOptions['parameters'] = {},
): ImportOptions {
  const { fields } = importDestination(rights, catalog, collection);
  const content = Buffer.from(file.content);
  return {
    ...{ client, catalog, collection, parameters, errorLimit: 1_000 },
    ...(fields === null ? {} : { fields: new Set(fields) }),
    sender: { caller, rights, bounds: BOUNDS, hash, ruleOf: () => NO_RULE, maxItems: undefined },
    file: {
      ...{ format: file.format, gzip: false, bytes: content.length },
      open: () => Readable.from([content]),
    },
    expansion: { bytes: 1e9, ratio: 200 },
    signal: new AbortController().signal,
    interrupt: async () => undefined,
    analyze: async () => undefined,
    progress: () => undefined,
    failpoint: async () => undefined,
    report: async () => undefined,
    phase: () => undefined,
    complete: async () => undefined,
  };
}

/** For each refused row, why. */
export type Refusals = Map<number, string[]>;

/** Imports a file. @param textOf what is compared of an error */
export async function refusalsOf(
  options: ImportOptions,
  textOf: (error: ServiceError) => string,
): Promise<Refusals> {
  const refused: Refusals = new Map();
  try {
    await importFile(options);
  } catch (error) {
    if (!(error instanceof ServiceErrors)) throw error;
    for (const one of error.errors) {
      const row = Number(one.details.row ?? 0);
      refused.set(row, [...(refused.get(row) ?? []), textOf(one)]);
    }
  }
  return refused;
}
