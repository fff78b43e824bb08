/** Caches the OpenAPI documents: one for each catalog and set of permissions. */

import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Rights } from '#core/access/rights.ts';
import { reason } from '#core/base/errors/reason.ts';
import { unavailable } from '#core/base/errors/service-error.ts';
import { FairSemaphore, SHARED } from '#core/base/holders/fair-semaphore.ts';
import { oncePerPair } from '#core/base/once-per.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import type { Catalog } from '#core/model/catalog/catalog.ts';
import { type Coding, compress } from '#edge/http/compression.ts';
import type { RouteFacts } from '#edge/rest/route-facts.ts';
import { type DocumentConfig, DocumentMaker, type Reader } from './document.ts';

/** Maximum bytes of cached documents, including compressed ones. */
const KEPT_BYTES = 33_554_432;
/** Characters that are encoded to bytes in one step. */
const PART = 65_536;
/** Maximum documents that wait to be created. */
const MOST_WAITING = 50;

/** A document as it is sent. */
export interface ApiDocument {
  readonly bytes: Buffer;
  /** An entity tag, the same in every coding. */
  readonly tag: string;
  /** The bytes in a content coding, which are cached. */
  coded(coding: Coding): Promise<Uint8Array>;
}

class KeptDocument implements ApiDocument {
  readonly bytes: Buffer;
  readonly tag: string;
  readonly #coded = new Map<Coding, Promise<Uint8Array>>();

  constructor(bytes: Buffer, tag: string) {
    this.bytes = bytes;
    this.tag = tag;
  }

  coded(coding: Coding): Promise<Uint8Array> {
    const known = this.#coded.get(coding);
    if (known !== undefined) return known;
    const made = compress(this.bytes, coding);
    this.#coded.set(coding, made);
    return made;
  }
}

export class ApiDocuments {
  readonly #config: DocumentConfig;
  readonly #numberOf = oncePerPair((_: Catalog, __: Rights) => {
    this.#count += 1;
    return this.#count;
  });
  readonly #kept = new LRUCache<string, ApiDocument>({
    maxSize: KEPT_BYTES,
    // The compressed forms together take less than a fifth.
    sizeCalculation: ({ bytes }) => Math.ceil(bytes.length * 1.2),
  });
  readonly #making = new Map<string, Promise<ApiDocument>>();
  /** One document at a time, because each uses all processor time that other requests leave. */
  readonly #queue = new FairSemaphore({
    permits: 1,
    order: 'arrival',
    waiting: {
      max: MOST_WAITING,
      refusal: () => unavailable('openapi', reason('too_many_description_readers')),
    },
  });
  #maker: DocumentMaker | null = null;
  #count = 0;

  constructor(config: DocumentConfig) {
    this.#config = config;
  }

  /**
   * The document for the permissions of a caller.
   * @param routes all routes; always the same
   * @throws ServiceError SERVICE_UNAVAILABLE when too many documents wait to be created
   */
  async of(routes: readonly RouteFacts[], reader: Reader): Promise<ApiDocument> {
    const key = `${this.#numberOf(reader.catalog, reader.rights)} ${reader.user}`;
    const kept = this.#kept.get(key) ?? this.#making.get(key);
    if (kept !== undefined) return kept;
    this.#maker ??= new DocumentMaker(routes, this.#config);
    const maker = this.#maker;
    const making = this.#queue.run(SHARED, () => made(maker, reader));
    this.#making.set(key, making);
    try {
      const document = await making;
      this.#kept.set(key, document);
      return document;
    } finally {
      this.#making.delete(key);
    }
  }
}

/** Creates a document in slices, so that other requests run in between. */
async function made(maker: DocumentMaker, reader: Reader): Promise<ApiDocument> {
  const slice = new TimeSlice();
  const digest = createHash('sha256');
  const parts: Buffer[] = [];
  let text = '';
  const take = () => {
    const part = Buffer.from(text);
    digest.update(part);
    parts.push(part);
    text = '';
  };
  for (const piece of maker.pieces(reader)) {
    text += piece;
    if (text.length > PART) take();
    await slice.rest();
  }
  take();
  return new KeptDocument(Buffer.concat(parts), `W/"${digest.digest('base64url')}"`);
}
