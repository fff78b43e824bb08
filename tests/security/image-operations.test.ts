// @newest @rare @slow
/** Every operation with arguments at their limits, on images of all kinds: a picture, or a coded refusal. */
import sharp from 'sharp';
import t from 'tap';
import { startCluster } from '#tests/harness/cluster.ts';
import { flood } from '#tests/harness/hostile-image.ts';

const OPERATIONS: readonly (readonly unknown[])[] = [
  ['extend', 2_000],
  ['extend', { top: 2_000, left: 0, bottom: 2_000, right: 2_000, background: '#f00' }],
  ['extract', { left: 0, top: 0, width: 1, height: 1 }],
  ['extract', { left: 100_000, top: 0, width: 100_000, height: 1 }],
  ['rotate', 37.5],
  ['rotate', -3_600, { background: { r: 0, g: 0, b: 0, alpha: 0.5 } }],
  ['blur', 100],
  ['blur'],
  ['median', 9],
  ['sharpen', 10],
  ['sharpen', { sigma: 10 }],
  ['clahe', { width: 100, height: 100, maxSlope: 100 }],
  ['clahe', { width: 1, height: 1 }],
  ['convolve', { width: 9, height: 9, kernel: Array(81).fill(1) }],
  ['convolve', { width: 3, height: 3, kernel: Array(9).fill(0) }],
  ['trim'],
  ['trim', { threshold: 255 }],
  ['threshold', 0],
  ['linear', [100, 100, 100, 100], [255, 255, 255, 255]],
  ['linear', 0],
  [
    'recomb',
    [
      [100, 0, 0],
      [0, 100, 0],
      [0, 0, 100],
    ],
  ],
  ['modulate', { brightness: 10, saturation: 10, hue: 3_600, lightness: 100 }],
  ['modulate', { brightness: 0 }],
  ['tint', 'rgb(255,0,0)'],
  ['tint', 'nocolour'],
  ['gamma', 3],
  ['negate', { alpha: true }],
  ['flatten', { background: '#12345678' }],
  ['toColorspace', 'cmyk'],
  ['toColourspace', 'rgb16'],
  ['toColourspace', 'lab'],
  ['extractChannel', 'alpha'],
  ['extractChannel', 3],
  ['ensureAlpha', 0],
  ['removeAlpha'],
  ['bandbool', 'eor'],
  ['resize', 6_000, 6_000],
  ['resize', 1, 6_000, { fit: 'contain', background: 'red' }],
  ['resize', null, null],
  ['toFormat', 'avif', { quality: 100 }],
  ['toFormat', 'tiff'],
  ['jpeg', { quality: 1 }],
  ['normalise'],
];

t.test('operations at their limits', async (t) => {
  const cluster = await startCluster(t, {
    edges: 1,
    workers: 1,
    // The machine may have other tests to run.
    env: { ASSETS_TRANSFORM_TIMEOUT: '25s' },
  });
  const create = { width: 40, height: 30, channels: 4, background: '#0a08' } as const;
  const cmyk = sharp({ create }).removeAlpha().toColourspace('cmyk').jpeg();
  const deep = sharp({ create }).toColourspace('rgb16').png();
  const images = new Map<string, Buffer>([
    ['alpha', await sharp({ create }).png().toBuffer()],
    ['grey', flood(30, 20)],
    ['one pixel', flood(1, 1)],
    ['CMYK', await cmyk.toBuffer()],
    ['16 bits', await deep.toBuffer()],
    ['TIFF', await sharp({ create }).tiff({ compression: 'lzw', tile: true }).toBuffer()],
    ['nothing', Buffer.alloc(0)],
    ['a large one', flood(6_000, 6_000)],
  ]);
  const met = new Map<number, number>();
  for (const [name, content] of images) {
    const form = new FormData();
    form.append('file', new File([new Uint8Array(content)], 'image.png', { type: 'image/png' }));
    const answer = await cluster.fetch('/files', { method: 'POST', body: form });
    const { id } = JSON.parse(await answer.text()).data;
    const isLarge = name === 'a large one';
    const tried = OPERATIONS.filter((_, n) => !isLarge || n % 6 === 0);
    await Promise.all(
      tried.map(async (operation) => {
        const transforms = encodeURIComponent(JSON.stringify([operation, ['resize', 20]]));
        const found = await cluster.fetch(`/assets/${id}?transforms=${transforms}`);
        const bytes = Buffer.from(await found.arrayBuffer());
        met.set(found.status, (met.get(found.status) ?? 0) + 1);
        const what = `${JSON.stringify(operation)} of ${name}: ${found.status}`;
        if (found.status === 200 && content.length > 0) {
          await t.resolves(sharp(bytes).metadata(), what);
        } else {
          t.ok(found.status === 422 || found.status === 200, `${what} ${bytes.subarray(0, 200)}`);
        }
      }),
    );
  }
  t.comment(JSON.stringify(Object.fromEntries(met)));
  const { rows } = await cluster.db.query(
    `SELECT count(*)::int AS count FROM system_jobs WHERE jsonb_array_length(failures) > 1`,
  );
  t.equal(rows[0].count, 0, 'nothing was tried again');
});
