/**
 * Parses a long JSON body (RFC 8259) in slices, so that other requests run in between. A first pass
 * finds the ends of the large objects and lists. A second pass parses small values in batches and
 * assembles the large ones from them.
 */

import { placed, reason } from '#core/base/errors/reason.ts';
import { invalidPayload, ServiceError } from '#core/base/errors/service-error.ts';
import { TimeSlice } from '#core/base/process/time-slice.ts';
import {
  type Admit,
  type JsonBounds,
  JsonCounter,
  type OnEntries,
  UNBOUNDED,
} from './json-bounds.ts';
import { endOfString, parseCounted } from './strict-json.ts';

/** Bytes that are parsed in one step; longer objects and lists are split. */
const SLICE = 131_072;
/** Bytes between two checks of the clock. */
const STRIDE = 65_536;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Called with the name of each member of the outermost object before its value is read. */
export type OnMember = (name: string) => void;

function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function malformed(at: number): Error {
  return invalidPayload(reason('body_json_invalid_near', { at }));
}

/**
 * Maps the start of each object or list that is too large for one step to its end. Also counts the
 * values of the body.
 */
async function findLarge(
  bytes: Buffer,
  slice: TimeSlice,
  counter: JsonCounter,
): Promise<ReadonlyMap<number, number>> {
  const large = new Map<number, number>();
  const open: number[] = [];
  let check = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if (at >= check) {
      check = at + STRIDE;
      await slice.rest();
    }
    const byte = bytes[at];
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte === COMMA) counter.comma();
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      counter.open(byte);
      open.push(at);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      counter.close();
      const start = open.pop();
      if (start === undefined || (bytes[start] === OPEN_LIST) !== (byte === CLOSE_LIST)) {
        throw malformed(at);
      }
      if (at - start > SLICE) large.set(start, at);
    }
  }
  if (open.length > 0) throw invalidPayload(reason('body_json_ends_early'));
  return large;
}

/** A part of a large object or list: one large value, or small values up to one slice. */
interface Unit {
  readonly from: number;
  readonly to: number;
  readonly isLarge: boolean;
}

class SlicedReader {
  readonly #bytes: Buffer;
  readonly #large: ReadonlyMap<number, number>;
  readonly #slice: TimeSlice;

  constructor(bytes: Buffer, large: ReadonlyMap<number, number>, slice: TimeSlice) {
    this.#bytes = bytes;
    this.#large = large;
    this.#slice = slice;
  }

  /** The root value of the body. */
  async root(from: number, onMember: OnMember): Promise<unknown> {
    const start = this.#skipBlanks(from);
    const end = this.#large.get(start);
    if (end === undefined) return this.#parse(from, this.#bytes.length, '', '');
    if (this.#skipBlanks(end + 1) < this.#bytes.length) throw malformed(end + 1);
    return await this.#value(start, onMember);
  }

  /** A large value. */
  async #value(from: number, onMember?: OnMember): Promise<unknown> {
    const start = this.#skipBlanks(from);
    const end = this.#large.get(start);
    if (end === undefined) throw malformed(start);
    return this.#bytes[start] === OPEN_LIST
      ? await this.#list(start, end)
      : await this.#object(start, end, onMember);
  }

  async #list(start: number, end: number): Promise<unknown[]> {
    const list: unknown[] = [];
    for await (const { from, to, isLarge } of this.#units(start, end)) {
      if (isLarge) {
        list.push(await this.#value(from));
        continue;
      }
      const batch = this.#parse(from, to, '[', ']');
      if (Array.isArray(batch)) for (const entry of batch) list.push(entry);
    }
    return list;
  }

  async #object(start: number, end: number, onMember?: OnMember): Promise<object> {
    const object: Record<string, unknown> = {};
    for await (const { from, to, isLarge } of this.#units(start, end)) {
      if (isLarge) {
        const colon = this.#colon(from, to);
        const [name] = Object.keys(Object(this.#parse(from, colon, '{', ':0}')));
        if (name === undefined) throw malformed(from);
        onMember?.(name);
        object[name] = await this.#value(colon + 1);
        continue;
      }
      const batch = Object(this.#parse(from, to, '{', '}'));
      if (onMember) for (const name of Object.keys(batch)) onMember(name);
      Object.assign(object, batch);
    }
    return object;
  }

  /** The position of the colon behind a member's name. */
  #colon(from: number, to: number): number {
    const start = this.#skipBlanks(from);
    if (this.#bytes[start] !== QUOTE) throw malformed(start);
    const colon = this.#skipBlanks(endOfString(this.#bytes, start) + 1);
    if (colon >= to || this.#bytes[colon] !== COLON) throw malformed(colon);
    return colon;
  }

  async *#units(start: number, end: number): AsyncGenerator<Unit> {
    // The start of the parts that are not yielded yet, and the start of the last part.
    let from = start + 1;
    let last = from;
    if (this.#skipBlanks(from) === end) return;
    let check = from;
    for (let at = from; at < end; at += 1) {
      if (at >= check) {
        check = at + STRIDE;
        await this.#slice.rest();
      }
      const byte = this.#bytes[at];
      if (byte === QUOTE) at = endOfString(this.#bytes, at);
      else if (byte === COMMA) {
        last = at + 1;
        if (last - from < SLICE) continue;
        yield { from, to: at, isLarge: false };
        this.#requireMore(last, end);
        from = last;
      } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        const close = this.#large.get(at);
        if (close === undefined) {
          at = this.#closeOf(at);
          continue;
        }
        if (last > from) yield { from, to: last - 1, isLarge: false };
        const next = this.#skipBlanks(close + 1);
        yield { from: last, to: next, isLarge: true };
        if (next === end) return;
        if (this.#bytes[next] !== COMMA) throw malformed(next);
        this.#requireMore(next + 1, end);
        at = next;
        from = next + 1;
        last = from;
      }
    }
    yield { from, to: end, isLarge: false };
  }

  /** A comma must be followed by a value. */
  #requireMore(from: number, end: number): void {
    if (this.#skipBlanks(from) >= end) throw malformed(from);
  }

  /** The end of a small object or list. */
  #closeOf(start: number): number {
    let depth = 0;
    for (let at = start; at < this.#bytes.length; at += 1) {
      const byte = this.#bytes[at];
      if (byte === QUOTE) at = endOfString(this.#bytes, at);
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) depth += 1;
      else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 0) return at;
      }
    }
    return start;
  }

  /** Parses the text between two positions, within brackets. */
  #parse(from: number, to: number, open: string, close: string): unknown {
    if (open !== '') this.#requireMore(from, to);
    const part = this.#bytes.subarray(from, to);
    try {
      return parseCounted(Buffer.concat([Buffer.from(open), part, Buffer.from(close)]));
    } catch (error) {
      const inner = error instanceof ServiceError ? error.details.reason : undefined;
      if (from === 0 || inner === undefined) throw error;
      throw invalidPayload(placed(`In the part from byte ${from}: `, inner));
    }
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (isBlank(this.#bytes[at])) at += 1;
    return at;
  }
}

/** The limits on a body, and the callbacks for its parsing. */
export interface SliceOptions {
  readonly bounds?: JsonBounds;
  /** Called before parsing begins. */
  readonly onEntries?: OnEntries | undefined;
  /** Reserves memory for the values before parsing begins. */
  readonly admit?: Admit;
}

/**
 * Parses a body slice by slice.
 * @throws ServiceError INVALID_PAYLOAD naming the malformed part, or when the body exceeds the
 *   limits; errors of `onMember` and `onEntries`
 */
export async function parseInSlices(
  body: Uint8Array,
  onMember: OnMember,
  { bounds = UNBOUNDED, onEntries, admit }: SliceOptions = {},
): Promise<unknown> {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length);
  const slice = new TimeSlice();
  const counter = new JsonCounter(bounds, onEntries);
  const large = await findLarge(bytes, slice, counter);
  await admit?.(counter.memory(bytes.length));
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return await new SlicedReader(bytes, large, slice).root(isMarked ? 3 : 0, onMember);
}
