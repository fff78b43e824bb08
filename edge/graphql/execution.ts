/**
 * Executes the root fields of one operation. Each is one query or one write of the services that
 * REST uses, or a route of REST. The items stay JSON text and are not parsed.
 */

import { type FieldNode, GraphQLError } from 'graphql';
import { CURRENT_PASSWORD } from '#core/accounts/identity/password-confirmation.ts';
import { secretsOf } from '#core/base/config/redact-secrets.ts';
import { reason } from '#core/base/errors/reason.ts';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { isJsonObject } from '#core/base/json/json-object.ts';
import type { UnparsedQuery } from '#core/read/statement-cache.ts';
import {
  type EncodedText,
  type Envelope,
  type ReadData,
  wrapText,
} from '#core/services/envelope.ts';
import type { ReadAnswer } from '#core/services/item-reader.ts';
import type { ItemService } from '#core/services/items.ts';
import type { WriteAnswer } from '#core/services/read-back.ts';
import type { RequestTarget } from '#core/services/request-context.ts';
import { errorEntriesOf } from '#edge/http/failure-response.ts';
import { ClientGoneError } from '#edge/http/request.ts';
import type { Pieces } from '#edge/http/response.ts';
import { type Call, registeredStream, visitorOf } from '#edge/rest/call.ts';
import { fileFrom } from '#edge/rest/file-from-url.ts';
import { parseAggregation } from './aggregate.ts';
import { collectFields } from './collect-fields.ts';
import { requirePlain } from './json-literal.ts';
import { LevelSelector, type SelectionOptions } from './level-selector.ts';
import { projectFields } from './project-fields.ts';
import { routeData } from './rest-bridge.ts';
import type { RouteField } from './route-fields.ts';
import type { RootField } from './schema.ts';
import type { ValidDocument } from './valid-document.ts';

export type FieldOutcome =
  /** The operation was refused before execution. */
  | { readonly kind: 'refused'; readonly errors: readonly GraphQLError[] }
  /** A mutation that was sent by GET. */
  | { readonly kind: 'unsafe' }
  | {
      readonly kind: 'text';
      readonly text: string | Uint8Array;
      /** The response may contain a token or data derived from a secret. */
      readonly secret: boolean;
      /** A mutation was executed. */
      readonly done?: true;
      readonly release?: () => void;
    }
  | { readonly kind: 'stream'; readonly pieces: Pieces };

/** The text of one field of the response. */
export type FieldText = { readonly text: string; readonly errors?: never } | FieldFailure;
export interface FieldFailure {
  readonly errors: readonly object[];
  readonly text?: never;
}

/** Wraps the response around the only field of an operation. */
function alone(key: string): Envelope {
  const before = `{"data":{${JSON.stringify(key)}:`;
  return {
    name: `graphql ${key}`,
    around: ({ data }: ReadData) => wrapText(before, data, '}}'),
  };
}

async function* piecesOf(key: string, items: AsyncIterable<readonly string[]>) {
  let before = `{"data":{${JSON.stringify(key)}:[`;
  let isFirst = true;
  for await (const batch of items) {
    if (batch.length === 0) continue;
    yield before + batch.join(',');
    before = ',';
    isFirst = false;
  }
  yield `${isFirst ? before : ''}]}}`;
}

export class Execution {
  readonly #call: Call;
  readonly #valid: ValidDocument;
  readonly #selecting: SelectionOptions;
  /** Equal for executions of one document with equal variables. */
  readonly #text: string;

  constructor(call: Call, valid: ValidDocument, selecting: SelectionOptions, text: string) {
    this.#call = call;
    this.#valid = valid;
    this.#selecting = selecting;
    this.#text = text;
  }

  #items(collection: string): ItemService {
    const { services } = this.#call;
    return this.#valid.shapes.catalog.collections.get(collection)?.system
      ? services.system
      : services.items;
  }

  #target(collection: string, envelope?: Envelope): RequestTarget {
    const call = this.#call;
    const target = { caller: call.caller, collection, visitor: visitorOf(call) };
    return envelope === undefined ? target : { ...target, envelope };
  }

  /** The query of a field, created only when its statement is not cached. */
  #question(
    key: string,
    query: (selector: LevelSelector) => ReturnType<LevelSelector['query']>,
  ): UnparsedQuery {
    return {
      text: `\u0001${key} ${this.#text}`,
      query: () => query(new LevelSelector(this.#selecting)),
    };
  }

  /**
   * The maximum cost of one root field's plan. 0 for fields that routes answer, and for a failure,
   * which execution reports.
   */
  async cost(key: string, nodes: readonly FieldNode[]): Promise<number> {
    const field = this.#valid.endpoint.queries.get(nodes[0]?.name.value ?? '');
    if (field === undefined) return 0;
    const { verb, collection } = field;
    try {
      const given = this.#arguments('Query', nodes);
      const question =
        verb === 'aggregate'
          ? this.#aggregation(key, nodes, field).question
          : this.#question(key, (selector) => selector.query(collection, nodes, given));
      const form = verb === 'one' || verb === 'self' ? 'item' : 'list';
      return await this.#items(collection).cost(this.#target(collection), question, form);
    } catch {
      return 0;
    }
  }

  #arguments(type: string, nodes: readonly FieldNode[]) {
    return new LevelSelector(this.#selecting).argumentsOf(type, nodes);
  }

  /** Reads the data of one root field. */
  async #read(
    key: string,
    nodes: readonly FieldNode[],
    { verb, collection }: RootField,
    envelope?: Envelope,
  ): Promise<ReadAnswer> {
    const given = this.#arguments('Query', nodes);
    const { signal } = this.#call.request;
    const items = this.#items(collection);
    const question = this.#question(key, (selector) => selector.query(collection, nodes, given));
    if (verb === 'self') {
      const { ownAccount } = this.#call.services;
      const target = this.#target(collection, envelope);
      const { caller, visitor } = target;
      const requester = { caller, visitor: visitor ?? visitorOf(this.#call), strict: false };
      return await ownAccount.read(
        envelope === undefined ? requester : { ...requester, envelope },
        () => question.query(),
        signal,
      );
    }
    if (verb === 'one') {
      const segment = encodeURIComponent(String(given.id)).replaceAll('%2C', ',');
      return await items.one(this.#target(collection, envelope), segment, question, signal);
    }
    return await items.list(this.#target(collection, envelope), question, signal);
  }

  #aggregation(key: string, nodes: readonly FieldNode[], { collection }: RootField) {
    const given = this.#arguments('Query', nodes);
    const aggregation = parseAggregation(collection, nodes, given, this.#selecting);
    const question = this.#question(key, (selector) => aggregation.query(selector));
    return { aggregation, question };
  }

  async #aggregate(key: string, nodes: readonly FieldNode[], field: RootField): Promise<string> {
    const { collection } = field;
    const { aggregation, question } = this.#aggregation(key, nodes, field);
    const { signal } = this.#call.request;
    const answer = await this.#items(collection).list(this.#target(collection), question, signal);
    return aggregation.answerOf(await this.#whole(answer));
  }

  /** The text of a result that the response contains with other fields. */
  async #whole(answer: ReadAnswer): Promise<string> {
    if (answer.kind === 'text') {
      const text = answer.text.toString();
      answer.release?.();
      return text;
    }
    const limit = this.#call.services.config.ANSWER_MAX_SIZE;
    const parts: string[] = [];
    let size = 0;
    for await (const batch of answer.items) {
      for (const item of batch) {
        size += item.length;
        parts.push(item);
      }
      if (size > limit) {
        const why = reason('graphql_list_too_large', { limit });
        throw new ServiceError('CONTENT_TOO_LARGE', {
          limit,
          variable: 'ANSWER_MAX_SIZE',
          reason: why,
        });
      }
    }
    return `[${parts.join(',')}]`;
  }

  async #write(key: string, nodes: readonly FieldNode[], field: RootField): Promise<string> {
    const { verb, collection } = field;
    const given = this.#arguments('Mutation', nodes);
    const { ids, id, data, [CURRENT_PASSWORD]: password, ...asked } = given;
    const items = this.#items(collection);
    if (items === this.#call.services.system) requirePlain(data);
    const target = this.#target(collection);
    const segment = encodeURIComponent(String(id)).replaceAll('%2C', ',');
    const back = (usual?: number) =>
      this.#question(key, (selector) => selector.query(collection, nodes, asked, usual));
    const keys = { kind: 'keys', keys: Array.isArray(ids) ? ids : [] } as const;
    switch (verb) {
      case 'createOne':
        return written(await items.create(target, data, back()));
      case 'importFile': {
        const { url, ...others } = asked;
        const file = fileFrom(this.#call, {
          url: String(url),
          item: isJsonObject(data) ? data : {},
        });
        const question = this.#question(key, (selector) =>
          selector.query(collection, nodes, others),
        );
        return written(await this.#call.services.files.create(target, file, question));
      }
      case 'createMany':
        return written(await items.create(target, data ?? [], back(-1)));
      case 'updateOne':
        return written(await items.updateOne(target, segment, { body: data }, back()));
      case 'updateMany':
        return written(
          await items.updateMany(target, { kind: 'same', selection: keys, data }, back(-1)),
        );
      case 'updateEach': {
        const each = { kind: 'each', items: Array.isArray(data) ? data : [] } as const;
        return written(await items.updateMany(target, each, back(-1)));
      }
      case 'updateSingleton': {
        const query = new LevelSelector(this.#selecting).query(collection, nodes, asked);
        return written(await items.upsertSingleton(target, { body: data }, query));
      }
      case 'updateSelf': {
        const { caller, services } = this.#call;
        const requester = { caller, visitor: visitorOf(this.#call), strict: false };
        const query = () => back().query();
        const confirmation = password === undefined ? {} : { [CURRENT_PASSWORD]: password };
        const body = isJsonObject(data) ? { ...data, ...confirmation } : data;
        return written(await services.ownAccount.update(requester, body, query));
      }
      case 'deleteOne':
        await items.deleteOne(target, segment);
        return this.#deleted(nodes, 'delete_one', { id: String(id) });
      case 'deleteMany':
        await items.deleteMany(target, keys);
        return this.#deleted(nodes, 'delete_many', { ids: keys.keys.map(String) });
      default:
        throw new TypeError(`${verb} does not write`);
    }
  }

  #deleted(nodes: readonly FieldNode[], type: string, values: Readonly<Record<string, unknown>>) {
    const sets = nodes.map(({ selectionSet }) => selectionSet);
    const fields = collectFields(sets, new Set([type]), this.#selecting);
    const answer = [...fields].map(([key, [node]]) => {
      const name = node?.name.value ?? '';
      return [key, name === '__typename' ? type : values[name]];
    });
    return JSON.stringify(Object.fromEntries(answer));
  }

  /** The errors of a failed field; rethrows the error when the client has disconnected. */
  failure(key: string, [node]: readonly FieldNode[], thrown: unknown): FieldFailure {
    const { services, request, caller } = this.#call;
    if (thrown instanceof ClientGoneError) throw thrown;
    if (thrown instanceof GraphQLError) {
      const message = thrown.message;
      const extensions = { code: 'GRAPHQL_VALIDATION', ...thrown.extensions };
      return { errors: [{ message, locations: locationsOf(node), path: [key], extensions }] };
    }
    const secrets = caller.admin ? secretsOf(services.config) : null;
    const { entries, unexpected } = errorEntriesOf(thrown, secrets);
    if (unexpected)
      services.log.error({ request: request.id, err: thrown }, 'a GraphQL field failed');
    const errors = entries.map(({ message, extensions }) => ({
      ...{ message, locations: locationsOf(node), path: [key], extensions },
    }));
    return { errors };
  }

  /**
   * The whole response of an operation with one field that reads items; null for other operations.
   */
  async only(key: string, nodes: readonly FieldNode[]): Promise<FieldOutcome | null> {
    const field = this.#valid.endpoint.queries.get(nodes[0]?.name.value ?? '');
    if (field === undefined || field.verb === 'aggregate') return null;
    const answer = await this.#read(key, nodes, field, alone(key));
    if (answer.kind === 'text') {
      const { text, release } = answer;
      const whole = { kind: 'text', text, secret: false } as const;
      return release === undefined ? whole : { ...whole, release };
    }
    const { collection } = field;
    const pieces = piecesOf(key, answer.items);
    return {
      kind: 'stream',
      pieces: registeredStream(this.#call, { kind: 'items', collection }, pieces),
    };
  }

  /** The text of a root field. */
  async field(key: string, nodes: readonly FieldNode[], type: string): Promise<FieldText> {
    try {
      return { text: await this.#fieldText(key, nodes, type) };
    } catch (error) {
      return this.failure(key, nodes, error);
    }
  }

  /** A field that a REST route answers. */
  async #route(route: RouteField, nodes: readonly FieldNode[], type: string): Promise<string> {
    const { services, request } = this.#call;
    const given = this.#arguments(type, nodes);
    requirePlain(given);
    const answer = await routeData(services, request, route.request(given));
    const value = route.answer === undefined ? answer : route.answer(given);
    return JSON.stringify(projectFields(value, route.config.type, nodes, this.#selecting));
  }

  async #fieldText(key: string, nodes: readonly FieldNode[], type: string): Promise<string> {
    const name = nodes[0]?.name.value ?? '';
    if (name === '__typename') return JSON.stringify(type);
    const { queries, mutations, routes } = this.#valid.endpoint;
    const route = routes.get(name);
    if (route !== undefined) return await this.#route(route, nodes, type);
    if (type === 'Mutation') {
      const field = mutations.get(name);
      if (field !== undefined) return await this.#write(key, nodes, field);
    } else {
      const field = queries.get(name);
      if (field?.verb === 'aggregate') return await this.#aggregate(key, nodes, field);
      if (field !== undefined) return await this.#whole(await this.#read(key, nodes, field));
    }
    return 'null';
  }
}

/** A written item or list; true when the caller may not read it. */
function written(answer: WriteAnswer): string {
  return answer === null ? 'true' : textOf(answer.data);
}

function textOf(text: EncodedText): string {
  const made = text.toString();
  if (typeof text !== 'string') text.release();
  return made;
}

function locationsOf(node: FieldNode | undefined) {
  const start = node?.loc?.startToken;
  return start === undefined ? [] : [{ line: start.line, column: start.column }];
}
