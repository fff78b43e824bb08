/** Reads and changes the schema: collections, fields, relations, snapshots. */
import { createJobs, jobHeaders, jobIdOf } from './job.ts';
import type { CallOptions, JobOptions } from './options.ts';
import type { RequestOptions, Transport } from './transport.ts';

/** A part of the schema, as the API writes it. */
export interface SchemaPart {
  readonly collection: string;
  readonly meta: Readonly<Record<string, unknown>> | null;
  readonly schema: Readonly<Record<string, unknown>> | null;
  readonly [member: string]: unknown;
}

export interface FieldPart extends SchemaPart {
  readonly field: string;
  readonly type: string;
}

export interface RelationPart extends SchemaPart {
  readonly field: string;
  readonly related_collection: string | null;
}

export interface NewCollection {
  readonly collection: string;
  readonly [member: string]: unknown;
}

export interface NewField {
  readonly field: string;
  readonly [member: string]: unknown;
}

export interface NewRelation {
  readonly collection: string;
  readonly field: string;
  readonly [member: string]: unknown;
}

/** Changes are jobs; a call waits until every process knows its change. */
export interface ChangeOptions extends JobOptions {
  /** Accepts a loss of values, or a stale diff. */
  readonly force?: boolean | undefined;
  /** Builds indexes without locking the table. */
  readonly concurrentIndexCreation?: boolean | undefined;
}

export type RenameOptions = Omit<ChangeOptions, 'force' | 'concurrentIndexCreation'>;

export interface SnapshotOptions extends CallOptions {
  readonly includeCollections?: readonly string[] | undefined;
  readonly excludeCollections?: readonly string[] | undefined;
  /** Rights to take in, too, such as `policies` and `roles`. */
  readonly with?: readonly string[] | undefined;
}

export interface SchemaDiff {
  readonly hash: string;
  readonly diff: object;
}

export interface Schemas {
  readonly collections: {
    list(options?: CallOptions): Promise<SchemaPart[]>;
    get(collection: string, options?: CallOptions): Promise<SchemaPart>;
    /** With `schema: {}` it gets a table, without one it is a folder. */
    create(collection: NewCollection, options?: ChangeOptions): Promise<SchemaPart>;
    update(collection: string, changes: object, options?: ChangeOptions): Promise<SchemaPart>;
    /** Items, permissions, presets, relations and history stay with it. */
    rename(collection: string, to: string, options?: RenameOptions): Promise<SchemaPart>;
    delete(collection: string, options?: ChangeOptions): Promise<void>;
  };
  readonly fields: {
    /** Those of one collection, or of all. */
    list(collection?: string, options?: CallOptions): Promise<FieldPart[]>;
    get(collection: string, field: string, options?: CallOptions): Promise<FieldPart>;
    create(collection: string, field: NewField, options?: ChangeOptions): Promise<FieldPart>;
    update(
      collection: string,
      field: string,
      changes: object,
      options?: ChangeOptions,
    ): Promise<FieldPart>;
    /** Values, permissions, presets, relations and history stay with it. */
    rename(
      collection: string,
      field: string,
      to: string,
      options?: RenameOptions,
    ): Promise<FieldPart>;
    delete(collection: string, field: string, options?: ChangeOptions): Promise<void>;
  };
  readonly relations: {
    list(collection?: string, options?: CallOptions): Promise<RelationPart[]>;
    get(collection: string, field: string, options?: CallOptions): Promise<RelationPart>;
    create(relation: NewRelation, options?: ChangeOptions): Promise<RelationPart>;
    update(
      collection: string,
      field: string,
      changes: object,
      options?: ChangeOptions,
    ): Promise<RelationPart>;
    delete(collection: string, field: string, options?: ChangeOptions): Promise<void>;
  };
  snapshot(options?: SnapshotOptions): Promise<Readonly<Record<string, unknown>>>;
  /** What would make the schema that of the snapshot; null when it is. */
  diff(
    snapshot: object,
    options?: CallOptions & { readonly mode?: 'mirror' | 'merge'; readonly force?: boolean },
  ): Promise<SchemaDiff | null>;
  apply(diff: SchemaDiff, options?: ChangeOptions): Promise<void>;
  /** The statements that {@link apply} would run. */
  tryApply(
    diff: SchemaDiff,
    options?: CallOptions & { readonly force?: boolean },
  ): Promise<readonly string[]>;
}

export function createSchemas(transport: Transport): Schemas {
  const { request, answer } = transport;
  const join = (...parts: readonly string[]) => `/${parts.map(encodeURIComponent).join('/')}`;

  /** Changes something, and waits for the job of a change that takes long; null without an answer. */
  async function submit<T>(
    method: string,
    path: string,
    body?: unknown,
    options: ChangeOptions = {},
  ): Promise<T | null> {
    const { force, concurrentIndexCreation, ...call } = options;
    const flags = {
      force: force || undefined,
      concurrentIndexCreation: concurrentIndexCreation || undefined,
    };
    const given: RequestOptions = { ...jobHeaders(call), query: flags, body };
    const done = await answer<{ readonly data: T } | null>(method, path, given);
    if (done.status === 202) {
      const { idempotencyKey: _, ...waiting } = call;
      await createJobs(transport).wait(jobIdOf(done.headers), waiting);
      return null;
    }
    return done.body?.data ?? null;
  }

  /** As {@link submit}; what the change made is read where its answer does not have it. */
  async function change<T>(
    method: string,
    [path, shown]: readonly [string, string],
    body: unknown,
    options?: ChangeOptions,
  ): Promise<T> {
    const { signal, timeout } = options ?? {};
    return (
      (await submit<T>(method, path, body, options)) ?? request('GET', shown, { signal, timeout })
    );
  }

  async function remove(path: string, options?: ChangeOptions): Promise<void> {
    await submit('DELETE', path, undefined, options);
  }

  return {
    collections: {
      list: (options) => request('GET', '/collections', options),
      get: (collection, options) => request('GET', join('collections', collection), options),
      create: (body, options) => {
        const shown = join('collections', body.collection);
        return change('POST', ['/collections', shown], body, options);
      },
      update(collection, changes, options) {
        const path = join('collections', collection);
        return change('PATCH', [path, path], changes, options);
      },
      rename(collection, to, options) {
        const paths = [join('collections', collection, 'rename'), join('collections', to)] as const;
        return change('POST', paths, { collection: to }, options);
      },
      delete: (collection, options) => remove(join('collections', collection), options),
    },
    fields: {
      list: (collection, options) => {
        const path = collection === undefined ? '/fields' : join('fields', collection);
        return request('GET', path, options);
      },
      get: (collection, field, options) =>
        request('GET', join('fields', collection, field), options),
      create: (collection, body, options) => {
        const paths = [join('fields', collection), join('fields', collection, body.field)] as const;
        return change('POST', paths, body, options);
      },
      update: (collection, field, changes, options) => {
        const path = join('fields', collection, field);
        return change('PATCH', [path, path], changes, options);
      },
      rename(collection, field, to, options) {
        const path = join('fields', collection, field, 'rename');
        return change('POST', [path, join('fields', collection, to)], { field: to }, options);
      },
      delete: (collection, field, options) => remove(join('fields', collection, field), options),
    },
    relations: {
      list: (collection, options) => {
        const path = collection === undefined ? '/relations' : join('relations', collection);
        return request('GET', path, options);
      },
      get: (collection, field, options) =>
        request('GET', join('relations', collection, field), options),
      create: (body, options) => {
        const shown = join('relations', body.collection, body.field);
        return change('POST', ['/relations', shown], body, options);
      },
      update: (collection, field, changes, options) => {
        const path = join('relations', collection, field);
        return change('PATCH', [path, path], changes, options);
      },
      delete: (collection, field, options) => remove(join('relations', collection, field), options),
    },
    snapshot: ({ includeCollections, excludeCollections, with: parts, ...options } = {}) =>
      request('GET', '/schema/snapshot', {
        ...options,
        query: { includeCollections, excludeCollections, with: parts },
      }),
    diff: (snapshot, { mode, force, ...options } = {}) =>
      request('POST', '/schema/diff', {
        ...options,
        query: { mode, force: force || undefined },
        body: snapshot,
      }),
    async apply(diff, options) {
      await submit('POST', '/schema/apply', diff, options);
    },
    async tryApply(diff, { force, ...options } = {}) {
      const query = { dryRun: true, force: force || undefined };
      const path = '/schema/apply';
      const tried = await request<{ readonly sql: readonly string[] } | null>('POST', path, {
        ...options,
        query,
        body: diff,
      });
      return tried?.sql ?? [];
    },
  };
}
