import { EventEmitter } from 'node:events';
import t from 'tap';
import { type DataRow, RowProtocolReader } from '#core/database/row-protocol-reader.ts';

/** A message of PostgreSQL: its type, its length, its content. */
function message(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type);
  header.writeUInt32BE(4 + content.length, 1);
  return Buffer.concat([header, content]);
}

function row(...values: (string | null)[]): Buffer {
  const count = Buffer.alloc(2);
  count.writeInt16BE(values.length);
  const parts = values.map((value) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(value === null ? -1 : Buffer.byteLength(value));
    return value === null ? length : Buffer.concat([length, Buffer.from(value)]);
  });
  return message('D', Buffer.concat([count, ...parts]));
}

/** The output of a reader; the memory of each chunk is overwritten after it was taken. */
function deliveries(chunks: readonly Buffer[], least = 0): unknown[] {
  const found: unknown[] = [];
  const connection = new EventEmitter();
  connection.on('dataRow', (arrived: DataRow) => {
    found.push([arrived.fields, arrived.first?.toString() ?? null]);
  });
  const parse = (messages: Buffer) => {
    for (let at = 0; at < messages.length; at += 1 + messages.readUInt32BE(at + 1)) {
      found.push(messages.toString('latin1', at, at + 1 + messages.readUInt32BE(at + 1)));
    }
  };
  const intake = new RowProtocolReader(connection, parse, least);
  const memory = Buffer.alloc(Math.max(...chunks.map(({ length }) => length)));
  for (const chunk of chunks) {
    const taken = memory.subarray(0, chunk.copy(memory));
    intake.take(taken);
    taken.fill(0x78);
  }
  return found;
}

const LONG = 'é'.repeat(40_000);
const MESSAGES = [
  message('2', Buffer.alloc(0)),
  row('ä', null, ''),
  row(null),
  row(),
  message('C', Buffer.from('SELECT 3\0')),
  message('Z', Buffer.from('I')),
  row('x'.repeat(300), 'b'),
  message('N', Buffer.from('y'.repeat(200))),
];
/** The confirmation of a bind is not delivered. */
const EXPECTED = [
  [['ä', null, ''], 'ä'],
  [[null], null],
  [[], null],
  MESSAGES[4]?.toString('latin1'),
  MESSAGES[5]?.toString('latin1'),
  [['x'.repeat(300), 'b'], 'x'.repeat(300)],
  MESSAGES[7]?.toString('latin1'),
];

t.test('short rows go to the parser with the surrounding messages, below the minimum size', (t) => {
  const all = Buffer.concat(MESSAGES);
  for (const size of [1, 7, 300, all.length]) {
    const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
      all.subarray(index * size, (index + 1) * size),
    );
    const found = deliveries(chunks, 200);
    t.equal(found.length, MESSAGES.length, `in pieces of ${size}`);
    t.strictSame(
      found.filter((one) => Array.isArray(one)),
      [[['x'.repeat(300), 'b'], 'x'.repeat(300)]],
    );
  }
  t.end();
});

t.test('messages are the same for any chunk boundaries', async (t) => {
  const all = Buffer.concat(MESSAGES);
  t.strictSame(deliveries([all]), EXPECTED);
  for (let size = 1; size < 40; size += 1) {
    const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
      all.subarray(index * size, (index + 1) * size),
    );
    t.strictSame(deliveries(chunks), EXPECTED, `every ${size} bytes`);
  }
  for (let at = 1; at < all.length; at += 1) {
    const found = deliveries([all.subarray(0, at), all.subarray(at)]);
    if (JSON.stringify(found) !== JSON.stringify(EXPECTED)) t.fail(`cut at ${at}`);
  }
});

t.test('a long row arrives in pieces between short ones', async (t) => {
  const all = Buffer.concat([row('a'), row(LONG, 'z'), row('b')]);
  const expected = [
    [['a'], 'a'],
    [[LONG, 'z'], LONG],
    [['b'], 'b'],
  ];
  for (const size of [all.length, 65_536, 8_192, 3]) {
    const chunks = Array.from({ length: Math.ceil(all.length / size) }, (_, index) =>
      all.subarray(index * size, (index + 1) * size),
    );
    t.ok(JSON.stringify(deliveries(chunks)) === JSON.stringify(expected), `every ${size} bytes`);
  }
});
