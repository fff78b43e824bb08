import t from 'tap';
import { ValueBytes } from '#core/database/value-bytes.ts';

t.test('texts around a value, of any length', async (t) => {
  for (const length of [0, 1, 10_000, 16_064, 16_065, 70_000, 300_000]) {
    for (const [before, behind] of [
      ['', ''],
      ['{"data":', '}'],
      ['ä'.repeat(40), 'ö'.repeat(200)],
    ]) {
      const value = 'é'.repeat(length);
      const bytes = new ValueBytes(Buffer.from(value));
      bytes.surround(before ?? '', behind ?? '');
      bytes.surround('<', '>');
      const whole = `<${before}${value}${behind}>`;
      t.ok(bytes.toString() === whole && bytes.bytes.equals(Buffer.from(whole)), `${length}`);
      t.equal(bytes.length, Buffer.byteLength(whole));
      bytes.release();
    }
  }
});

t.test('the text before a line feed is removed', async (t) => {
  const bytes = new ValueBytes(Buffer.from('{"total_count":"é"}\n[1\n2]'));
  t.equal(bytes.cut(0x0a), '{"total_count":"é"}');
  t.equal(bytes.first, 0x5b);
  bytes.surround('{"data":', '}');
  t.equal(bytes.toString(), '{"data":[1\n2]}');
});

t.test('memory is reused only after its release, and once', async (t) => {
  const first = new ValueBytes(Buffer.from('first'));
  const second = new ValueBytes(Buffer.from('second'));
  t.equal(first.toString(), 'first');
  first.release();
  first.release();
  const third = new ValueBytes(Buffer.from('third'));
  const fourth = new ValueBytes(Buffer.from('fourth'));
  t.strictSame([second, third, fourth].map(String), ['second', 'third', 'fourth']);
  t.equal(first.length, 0);
  t.equal(first.first, undefined);
});

t.test('a copied value shares no memory', async (t) => {
  const source = Buffer.from('one');
  const bytes = new ValueBytes(source);
  source.write('two');
  t.equal(bytes.toString(), 'one');
});
