/** Reads the names of the columns of a Parquet file from its end. */

const TAIL = 8;
/** The longest description of a file that is read. */
const FOOTER_MAX = 16 * 1024 * 1024;

/** Types of the compact protocol of Thrift. */
const [BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT] = [
  3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
];
const [TRUE, FALSE] = [1, 2];
/** Descriptions do not nest deeper. */
const DEPTH_MAX = 32;

class Thrift {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  byte(): number {
    const value = this.#bytes[this.#at];
    if (value === undefined) throw new RangeError('the description is cut');
    this.#at += 1;
    return value;
  }

  /** A whole number; those of more than 32 bits are not exact. */
  number(): number {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = this.byte();
      value += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) return value;
    }
  }

  signed(): number {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  text(): string {
    const length = this.number();
    const start = this.#at;
    this.#at += length;
    if (this.#at > this.#bytes.length) throw new RangeError('the description is cut');
    return new TextDecoder().decode(this.#bytes.subarray(start, this.#at));
  }

  /** The type and the number of the elements of a list. */
  list(): { readonly type: number; readonly count: number } {
    const head = this.byte();
    const count = head >> 4;
    return { type: head & 0xf, count: count === 15 ? this.number() : count };
  }

  /** Hands over the members of a structure; `read` returns whether it has read the value. */
  struct(read: (member: number, type: number) => boolean, depth = 0): void {
    let member = 0;
    for (;;) {
      const head = this.byte();
      if (head === 0) return;
      member = head >> 4 === 0 ? this.signed() : member + (head >> 4);
      if (!read(member, head & 0xf)) this.skip(head & 0xf, depth, true);
    }
  }

  /** @param isMember a truth value is in the head of its member */
  skip(type: number, depth: number, isMember = false): void {
    if (depth > DEPTH_MAX) throw new RangeError('the description is nested too deep');
    if (type === TRUE || type === FALSE) {
      if (!isMember) this.byte();
    } else if (type === BYTE) this.byte();
    else if (type === I16 || type === I32 || type === I64) this.number();
    else if (type === DOUBLE) this.#at += 8;
    else if (type === BINARY) this.text();
    else if (type === LIST || type === SET) {
      const { type: of, count } = this.list();
      for (let one = 0; one < count; one += 1) this.skip(of, depth + 1);
    } else if (type === MAP) {
      const count = this.number();
      const types = count === 0 ? 0 : this.byte();
      for (let one = 0; one < count; one += 1) {
        this.skip(types >> 4, depth + 1);
        this.skip(types & 0xf, depth + 1);
      }
    } else if (type === STRUCT) this.struct(() => false, depth + 1);
    else throw new RangeError('the description is damaged');
  }
}

interface Node {
  readonly name: string;
  readonly children: number;
}

/** A part of the schema: its name, and how many of the following ones are within it. */
function nodeOf(thrift: Thrift): Node {
  let [name, children] = ['', 0];
  thrift.struct((member, type) => {
    if (member === 4 && type === BINARY) name = thrift.text();
    else if (member === 5 && type === I32) children = thrift.signed();
    else return false;
    return true;
  });
  return { name, children };
}

function schemaOf(thrift: Thrift): Node[] {
  const nodes: Node[] = [];
  thrift.struct((member, type) => {
    if (member !== 2 || type !== LIST) return false;
    const { count } = thrift.list();
    for (let one = 0; one < count; one += 1) nodes.push(nodeOf(thrift));
    return true;
  });
  return nodes;
}

/** @throws when the file is damaged, or its description is too long to be read here */
export async function parquetNames(file: Blob): Promise<readonly string[]> {
  const tail = new DataView(await file.slice(-TAIL).arrayBuffer());
  const length = tail.getUint32(0, true);
  if (length > FOOTER_MAX || length + TAIL > file.size) throw new RangeError('no description');
  const footer = file.slice(file.size - TAIL - length, file.size - TAIL);
  const [, ...nodes] = schemaOf(new Thrift(new Uint8Array(await footer.arrayBuffer())));
  const names: string[] = [];
  let within = 0;
  for (const { name, children } of nodes) {
    if (within === 0) names.push(name);
    else within -= 1;
    within += children;
  }
  return names;
}
