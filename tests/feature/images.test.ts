// @newest

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp, { type Metadata } from 'sharp';
import t from 'tap';
import { backends } from '#tests/harness/backend.ts';
import { bodyOf, type ErrorsBody } from '#tests/harness/body.ts';
import { ADMIN_TOKEN, type Cluster, startCluster } from '#tests/harness/cluster.ts';
import { flood } from '#tests/harness/hostile-image.ts';
import { createMember } from '#tests/harness/member.ts';
import { until } from '#tests/harness/until.ts';

interface FileRow {
  readonly id: string;
  readonly type: string;
  readonly width: number | null;
  readonly height: number | null;
  readonly metadata: Readonly<Record<string, unknown>> | null;
}

/** An image of the left half red and the right half blue. */
function picture(width: number, height: number) {
  const half = { width: Math.floor(width / 2), height, channels: 3, background: '#f00' } as const;
  return sharp({ create: { width, height, channels: 3, background: '#00f' } }).composite([
    { input: { create: half }, left: 0, top: 0 },
  ]);
}

async function upload(
  cluster: Cluster,
  content: Uint8Array<ArrayBuffer>,
  type: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<FileRow> {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new File([content], `picture.${type.slice(6)}`, { type }));
  const answer = await cluster.fetch('/files', { method: 'POST', body: form });
  return (await bodyOf<{ data: FileRow }>(answer)).data;
}

async function seen(answer: Response): Promise<Metadata> {
  return await sharp(Buffer.from(await answer.arrayBuffer())).metadata();
}

/** Whether a pixel is rather red than blue. */
async function isRed(answer: Response, x: number, y: number): Promise<boolean> {
  const { data, info } = await sharp(Buffer.from(await answer.arrayBuffer()))
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const [r = 0, , b = 0] = data.subarray((y * info.width + x) * info.channels);
  return r > b;
}

async function codeOf(answer: Response) {
  const { errors } = await bodyOf<ErrorsBody>(answer);
  return [answer.status, errors[0]?.extensions.code, String(errors[0]?.extensions.reason ?? '')];
}

function storedContent({ dataDir }: Cluster): string[] {
  const folder = join(dataDir, 'files');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name !== 'storage-id') : [];
}

t.test('images', async (t) => {
  const cluster = await startCluster(t, {
    edges: 2,
    workers: 1,
    // The machine may have other tests to run.
    env: { ...backends.at(-1)?.env, ASSETS_TRANSFORM_TIMEOUT: '25s' },
  });
  const jpeg = await picture(400, 200).jpeg().toBuffer();
  const file = await upload(cluster, new Uint8Array(jpeg), 'image/jpeg');
  const asset = (query: string, headers: Record<string, string> = {}) =>
    cluster.fetch(`/assets/${file.id}?${query}`, { headers });
  const onEdge = (n: number, query: string) =>
    fetch(`${cluster.urls[n % 2]}/assets/${file.id}?${query}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
  const variants = async () =>
    Number((await cluster.db.query('SELECT count(*) FROM system_file_variants')).rows[0].count);

  t.test('their size is known soon, and with the answer of the upload', async (t) => {
    const known = await until(async () => {
      const answer = await cluster.fetch(`/files/${file.id}`);
      const { data } = JSON.parse(await answer.text());
      return data.width !== null && data;
    }, 'the image is measured');
    t.match(known, { type: 'image/jpeg', width: 400, height: 200 });
    t.match(known.metadata, { space: 'srgb', channels: 3 });
    // The process that measures has begun by now: the answer itself tells.
    const second = await upload(cluster, new Uint8Array(jpeg), 'image/jpeg');
    t.match(second, { type: 'image/jpeg', width: 400, height: 200 });
    t.match(second.metadata, { space: 'srgb', channels: 3 });
  });

  t.test('the orientation of the camera counts, and where it was is not told', async (t) => {
    const content = await picture(40, 20)
      .withExif({
        IFD0: { Model: 'A camera' },
        IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100' },
      })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const turned = await upload(cluster, new Uint8Array(content), 'image/jpeg');
    t.match(turned, { width: 20, height: 40, metadata: { Image: { Model: 'A camera' } } });
    t.notMatch(turned.metadata, { GPSInfo: Object });
    const small = await cluster.fetch(`/assets/${turned.id}?width=10`);
    const metadata = await seen(small);
    t.match(metadata, { width: 10, height: 20 });
    t.equal(metadata.exif, undefined, 'a variant has no metadata');
  });

  t.test('sizes, fits and formats', async (t) => {
    const cases: [string, object][] = [
      ['width=100', { width: 100, height: 50, format: 'jpeg' }],
      ['height=100', { width: 200, height: 100 }],
      ['width=100&height=100', { width: 100, height: 100 }],
      ['width=100&height=100&fit=contain', { width: 100, height: 100 }],
      ['width=100&height=100&fit=inside', { width: 100, height: 50 }],
      ['width=100&height=100&fit=outside', { width: 200, height: 100 }],
      ['width=800', { width: 800, height: 400 }],
      ['width=800&withoutEnlargement=true', { width: 400, height: 200 }],
      ['format=png', { format: 'png', width: 400 }],
      ['format=webp&quality=10', { format: 'webp' }],
      ['format=tiff', { format: 'tiff' }],
      ['format=avif', { format: 'heif' }],
      ['key=system-small-cover', { width: 64, height: 64 }],
      ['key=system-large-contain', { width: 800, height: 400 }],
      ['transforms=[["rotate",90]]', { width: 200, height: 400 }],
      ['transforms=[["extract",{"left":0,"top":0,"width":7,"height":9}]]', { width: 7, height: 9 }],
      ['transforms=[["toFormat","png"]]', { format: 'png' }],
      ['width=10&transforms=[["grayscale"],["blur",2]]', { width: 10 }],
    ];
    await Promise.all(
      cases.map(async ([query, expected]) => {
        const answer = await asset(query);
        t.equal(answer.status, 200, query);
        t.match(await seen(answer), expected, query);
      }),
    );
  });

  t.test('what is sent says what it is', async (t) => {
    const answer = await asset('width=100&format=webp');
    t.match(Object.fromEntries(answer.headers), {
      'content-type': 'image/webp',
      'content-disposition': /inline; filename="?picture\.webp/,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': /sandbox/,
    });
    const etag = answer.headers.get('etag') ?? '';
    t.equal((await asset('width=100&format=webp', { 'If-None-Match': etag })).status, 304);
    const part = await asset('format=webp&width=100', { Range: 'bytes=0-3' });
    t.equal(part.status, 206);
    t.equal(await part.text(), 'RIFF');
    t.notOk(answer.headers.get('vary')?.includes('Accept,'), 'it depends on no header');
  });

  t.test('a format that the client takes', async (t) => {
    const formats = await Promise.all(
      ['image/avif,image/webp,*/*', 'image/webp', '*/*'].map(async (accept) => {
        const answer = await asset('width=50&format=auto', { Accept: accept });
        t.match(answer.headers.get('vary'), /\bAccept\b/);
        return answer.headers.get('content-type');
      }),
    );
    t.strictSame(formats, ['image/avif', 'image/webp', 'image/jpeg']);
  });

  t.test('the focus stays in the picture', async (t) => {
    const cut = 'width=50&height=100';
    t.notOk(await isRed(await asset(cut), 40, 50), 'its middle is seen: the right half is blue');
    t.ok(await isRed(await asset(`${cut}&focal_point_x=20&focal_point_y=100`), 40, 50));
    await cluster.fetch(`/files/${file.id}`, {
      method: 'PATCH',
      body: JSON.stringify({ focal_point_x: 10, focal_point_y: 10 }),
    });
    t.ok(await isRed(await asset(cut), 40, 50), 'the focus of the file');
    const own = `${cut}&focal_point_x=390&focal_point_y=10`;
    t.notOk(await isRed(await asset(own), 5, 50), 'that of the request comes first');
  });

  t.test('made once for many requests on several edges', async (t) => {
    const before = await variants();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        onEdge(n, n % 4 < 2 ? 'width=123&height=45' : 'width=123&height=45&fit=cover'),
      ),
    );
    const bodies = await Promise.all(answers.map(async (answer) => seen(answer)));
    t.ok(bodies.every(({ width, height }) => width === 123 && height === 45));
    t.equal(await variants(), before + 1);
    const { rows } = await cluster.db.query(`SELECT count(*)::int AS count FROM system_jobs
      WHERE kind = 'image-variant' AND message -> 'transformations' @? '$[*] ? (@.width == 123)'
        AND (result ->> 'made')::int > 0`);
    t.equal(rows[0].count, 1);
  });

  t.test('a queue that is paused has one job for what is asked for on several edges', async (t) => {
    await cluster.fetch('/queues/images/pause', { method: 'POST' });
    const asked = [0, 1].map((edge) => onEdge(edge, 'width=333'));
    const jobs = async () => {
      const { rows } = await cluster.db.query(`SELECT count(*)::int AS count FROM system_jobs
        WHERE kind = 'image-variant' AND message -> 'transformations' @? '$[*] ? (@.width == 333)'
          AND (result IS NULL OR (result ->> 'made')::int > 0)`);
      return Number(rows[0].count);
    };
    await until(async () => (await jobs()) > 0, 'the job waits');
    await cluster.fetch('/queues/images/resume', { method: 'POST' });
    for (const answer of await Promise.all(asked)) t.equal((await seen(answer)).width, 333);
    // An edge that asked when the first one was done has another job, which finds the form.
    t.equal(await jobs(), 1);
  });

  t.test('one job makes several forms that are asked for at the same time', async (t) => {
    const widths = Array.from({ length: 24 }, (_, n) => 201 + n);
    const answers = await Promise.all(widths.map((width) => onEdge(0, `width=${width}`)));
    const bodies = await Promise.all(answers.map((answer) => seen(answer)));
    t.strictSame(
      bodies.map(({ width }) => width),
      widths,
    );
    const { rows } = await cluster.db.query(`SELECT count(*)::int AS jobs,
        sum((result ->> 'made')::int)::int AS made FROM system_jobs
      WHERE kind = 'image-variant' AND message -> 'transformations' @? '$[*] ? (@.width > 200 && @.width < 225)'`);
    t.equal(rows[0].made, widths.length);
    t.ok(rows[0].jobs <= 12, `${rows[0].jobs} jobs`);
  });

  t.test('what the parameters and the settings do not allow', async (t) => {
    const cases: [string, RegExp][] = [
      ['width=0', /"width"/],
      ['width=6001', /"width"/],
      ['fit=fill', /"fit"/],
      ['format=svg', /"format"/],
      ['key=none', /preset/],
      ['transforms=[["toFile","/tmp/x"]]', /no operation/],
      ['transforms=[["composite",[{"input":"/etc/passwd"}]]]', /no operation/],
    ];
    for (const [query, reason] of cases) {
      t.match(await codeOf(await asset(query)), [400, 'INVALID_QUERY', reason], query);
    }
    const settings = (body: object) =>
      cluster.fetch('/settings', { method: 'PATCH', body: JSON.stringify(body) });
    const presets = [{ key: 'card', width: 30, height: 20, fit: 'cover', format: 'png' }];
    await settings({ storage_asset_transform: 'presets', storage_asset_presets: presets });
    t.match(await seen(await asset('key=card')), { width: 30, height: 20, format: 'png' });
    t.match(await codeOf(await asset('width=30')), [
      400,
      'INVALID_QUERY',
      /storage_asset_transform/,
    ]);
    await settings({ storage_asset_transform: 'none' });
    t.match(await codeOf(await asset('key=card')), [400, 'INVALID_QUERY', /settings/]);
    t.equal((await asset('key=system-small-contain')).status, 200, 'built in');
    await settings({ storage_asset_transform: 'all', storage_asset_presets: null });
  });

  t.test('what would become too large is refused before a job is made', async (t) => {
    const jobs = async () =>
      (await cluster.db.query("SELECT count(*) FROM system_jobs WHERE kind = 'image-variant'"))
        .rows;
    const before = await jobs();
    const cases = [
      'width=2100&height=2100&format=avif',
      'width=6000&height=3010&format=webp',
      'height=6000',
      'width=5000&height=5000&transforms=[["extend",1500]]',
      'transforms=[["resize",6000,3010],["toFormat","avif"]]',
    ];
    for (const query of cases) {
      const answer = await asset(query);
      const { errors } = await bodyOf<ErrorsBody>(answer);
      t.equal(answer.status, 400, query);
      t.match(errors[0]?.extensions, {
        ...{ code: 'INVALID_QUERY', limit: Number, variable: 'ASSETS_TRANSFORM_MAX_PIXELS' },
        reason: /may have \d+ pixels/,
      });
    }
    t.strictSame(await jobs(), before);
    const webp = await asset('width=2100&height=2100&format=auto', {
      Accept: 'image/avif,image/webp',
    });
    t.match(await seen(webp), { width: 2_100, format: 'webp' }, 'the next best format');
    const wide = { key: 'wide', width: 2_100, height: 2_100, format: 'avif' };
    const settings = (presets: unknown) =>
      cluster.fetch('/settings', {
        method: 'PATCH',
        body: JSON.stringify({ storage_asset_presets: presets }),
      });
    await settings([wide]);
    t.match(await seen(await asset('key=wide')), { width: 2_100, format: 'heif' }, 'a preset may');
    await settings(null);
  });

  t.test('an image that was not measured is judged by the worker', async (t) => {
    const { id } = await upload(cluster, new Uint8Array(jpeg), 'image/jpeg');
    await cluster.db.query('UPDATE system_files SET width = NULL, height = NULL WHERE id = $1', [
      id,
    ]);
    const answer = await cluster.fetch(`/assets/${id}?height=6000`);
    const reason = /jpg may have 36000000 pixels \(ASSETS_TRANSFORM_MAX_PIXELS\)/;
    t.match(await codeOf(answer), [422, 'UNPROCESSABLE_ENTITY', reason]);
  });

  t.test('visitors get no image that is larger than it is', async (t) => {
    const { id } = await upload(cluster, new Uint8Array(jpeg), 'image/jpeg');
    const patched = await cluster.fetch('/settings', {
      method: 'PATCH',
      body: JSON.stringify({ project_logo: id }),
    });
    t.equal(patched.status, 200);
    const visit = async (query: string) => {
      const answer = await fetch(`${cluster.url}/assets/${id}?${query}`);
      t.equal(answer.status, 200, query);
      return await seen(answer);
    };
    const cases: [string, object][] = [
      ['width=6000&height=6000&format=avif', { width: 400, height: 200 }],
      ['width=800', { width: 400, height: 200 }],
      ['height=800&fit=outside', { width: 400, height: 200 }],
      ['width=800&height=800&fit=contain', { width: 400, height: 200 }],
      ['width=100&height=300&fit=contain', { width: 100, height: 200 }],
      ['key=system-large-contain', { width: 400, height: 200 }],
      ['transforms=[["resize",6000,6000,{"fit":"fill"}]]', { width: 400, height: 200 }],
      ['transforms=[["resize",600,600,{"fit":"contain"}]]', { width: 400, height: 200 }],
      ['width=100&focal_point_x=1&focal_point_y=1&height=300', { width: 100, height: 200 }],
      ['width=100', { width: 100, height: 50 }],
    ];
    await Promise.all(
      cases.map(async ([query, expected]) => t.match(await visit(query), expected, query)),
    );
    const large = await cluster.fetch(`/assets/${id}?width=800`);
    t.match(await seen(large), { width: 800, height: 400 }, 'a user gets it as he asks');
  });

  t.test('holders come by turns, on whichever edge they ask', async (t) => {
    const content = new Uint8Array(flood(6_000, 6_000));
    const attacked = await upload(cluster, content, 'image/png');
    const member = await createMember(cluster, [
      { collection: 'system_files', action: 'read', fields: ['*'] },
    ]);
    const over = new AbortController();
    const headers = { authorization: `Bearer ${member.token}` };
    const readable = async () => {
      const answer = await fetch(`${cluster.url}/files/${attacked.id}`, { headers });
      return answer.status === 200;
    };
    await until(readable, 'the member may read files');
    await cluster.fetch('/queues/images/pause', { method: 'POST' });
    // Each takes half a second or more, one after another.
    const attack = Array.from({ length: 24 }, (_, n) =>
      fetch(`${cluster.urls[n % 2]}/assets/${attacked.id}?width=${2_500 + n}&format=webp`, {
        ...{ headers, signal: over.signal },
      }).catch(() => null),
    );
    const jobsOf = async (holder: string, condition: string) => {
      const { rows } = await cluster.db.query(
        `SELECT count(*)::int AS count FROM system_jobs
          WHERE kind = 'image-variant' AND holder = $1 AND ${condition}`,
        [`images user:${holder}`],
      );
      return Number(rows[0].count);
    };
    const others = "state IN ('waiting', 'running')";
    await until(async () => (await jobsOf(member.id, others)) >= 4, 'jobs of the attack wait');
    const thumbnails = [0, 1].map((n) => onEdge(n, `width=${341 + n}`));
    await until(async () => {
      const { rows } = await cluster.db.query(`SELECT count(*)::int AS count FROM system_jobs
        WHERE kind = 'image-variant' AND message -> 'transformations' @? '$[*] ? (@.width == 341 || @.width == 342)'`);
      return rows[0].count === 2;
    }, 'jobs of the other holder wait');
    await cluster.fetch('/queues/images/resume', { method: 'POST' });
    for (const answer of await Promise.all(thumbnails)) t.equal(answer.status, 200);
    const { rows } = await cluster.db.query(
      'SELECT count(*)::int AS count FROM system_file_variants WHERE file = $1',
      [attacked.id],
    );
    t.ok(rows[0].count < 8, `${rows[0].count} variants of the attack came first`);
    await until(
      async () => (await jobsOf(member.id, "(result ->> 'left')::int > 0")) > 0,
      'a job leaves to the next one what its turn is too short for',
    );
    over.abort();
    await Promise.all(attack);
    await until(
      async () => (await jobsOf(member.id, others)) === 0,
      'nothing is made for those who left',
    );
  });

  t.test('a form for several holders is kept once', async (t) => {
    const member = await createMember(cluster, [
      { collection: 'system_files', action: 'read', fields: ['*'] },
    ]);
    const before = await variants();
    const ask = async (token: string) =>
      (
        await fetch(`${cluster.url}/assets/${file.id}?width=351`, {
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    await until(async () => (await ask(member.token)) === 200, 'the member may read it');
    t.equal(await ask(ADMIN_TOKEN), 200);
    t.equal(await variants(), before + 1);
  });

  t.test('an operation that the image cannot stand', async (t) => {
    const far = 'transforms=[["extract",{"left":5000,"top":0,"width":7,"height":9}]]';
    t.match(await codeOf(await asset(far)), [422, 'UNPROCESSABLE_ENTITY', /cannot be/]);
    t.match(
      await codeOf(await asset(far)),
      [422, 'UNPROCESSABLE_ENTITY', /cannot be/],
      'remembered',
    );
    const { rows } = await cluster.db.query(
      `SELECT count(*)::int AS count FROM system_jobs WHERE kind = 'image-variant' AND state = 'failed'
        AND message -> 'transformations' @? '$[*].operations[*][1] ? (@.left == 5000)'`,
    );
    t.equal(rows[0].count, 1);
  });

  t.test('hostile images are refused', async (t) => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"
      width="10" height="10"><image xlink:href="file:///etc/passwd" width="10" height="10"/></svg>`;
    const noise = await sharp({
      create: {
        width: 900,
        height: 900,
        channels: 3,
        background: '#000',
        noise: { type: 'gaussian', mean: 128, sigma: 40 },
      },
    })
      .jpeg()
      .toBuffer();
    const cases: [string, Buffer, string, number][] = [
      ['a flood of pixels', flood(30_000, 30_000, 1), 'image/png', 422],
      ['too wide', flood(20_000, 2), 'image/png', 422],
      ['more pixels than one decodes', flood(6_000, 9_000, 100), 'image/png', 422],
      ['cut off', noise.subarray(0, noise.length / 2), 'image/jpeg', 422],
      ['only a beginning', noise.subarray(0, 200), 'image/jpeg', 422],
      [
        'broken in the middle',
        Buffer.concat([flood(50, 50).subarray(0, 45), Buffer.alloc(99)]),
        'image/png',
        422,
      ],
    ];
    for (const [name, content, type, status] of cases) {
      const { id } = await upload(cluster, new Uint8Array(content), type);
      const answer = await cluster.fetch(`/assets/${id}?width=10`);
      t.match(await codeOf(answer), [status, 'UNPROCESSABLE_ENTITY', /image/], name);
    }
    const vector = await upload(cluster, new TextEncoder().encode(svg), 'image/svg+xml');
    t.match(vector, { type: 'image/svg+xml', width: null });
    const plain = await cluster.fetch(`/assets/${vector.id}?width=10`);
    t.match(plain.headers.get('content-disposition'), /^attachment/, 'SVG is sent as it is');
    t.equal(await plain.text(), svg);
    const disguised = await upload(cluster, new TextEncoder().encode(svg), 'image/png');
    t.equal(disguised.type, 'application/octet-stream');
  });

  t.test('what hides behind an image is not in its variants', async (t) => {
    const hidden = '<script>alert(1)</script>';
    const content = Buffer.concat([await picture(20, 20).png().toBuffer(), Buffer.from(hidden)]);
    const { id } = await upload(cluster, new Uint8Array(content), 'image/png');
    const answer = await cluster.fetch(`/assets/${id}?width=10`);
    t.equal(answer.status, 200);
    t.notMatch(Buffer.from(await answer.arrayBuffer()).toString('latin1'), hidden);
  });

  t.test('a variant is as readable as its file', async (t) => {
    const rule = { title: { _eq: 'open' } };
    const member = await createMember(cluster, [
      { collection: 'system_files', action: 'read', fields: ['*'], permissions: rule },
    ]);
    const title = (text: string) =>
      cluster.fetch(`/files/${file.id}`, {
        method: 'PATCH',
        body: JSON.stringify({ title: text }),
      });
    const ask = async () => {
      const headers = { authorization: `Bearer ${member.token}` };
      const answer = await fetch(`${cluster.url}/assets/${file.id}?width=77`, { headers });
      await answer.arrayBuffer();
      return answer.status;
    };
    // Who reads while rights change, as those of the member did just now, is asked to try again.
    const status = async () => {
      let found = await ask();
      await until(async () => {
        if (found !== 503) return true;
        found = await ask();
        return false;
      }, 'the rights are read');
      return found;
    };
    await title('closed');
    t.equal(await status(), 403);
    await title('open');
    t.equal(await status(), 200);
    await title('closed');
    t.equal(await status(), 403);
  });

  t.test('variants go with their file and with its bytes', async (t) => {
    const { id } = await upload(cluster, new Uint8Array(jpeg), 'image/jpeg');
    const small = async () => seen(await cluster.fetch(`/assets/${id}?width=64`));
    t.match(await small(), { width: 64, height: 32 });
    const stored = storedContent(cluster).length;
    const form = new FormData();
    const square = new Uint8Array(await picture(100, 100).png().toBuffer());
    form.append('file', new File([square], 'square.png', { type: 'image/png' }));
    const changed = await cluster.fetch(`/files/${id}`, { method: 'PATCH', body: form });
    t.match(await bodyOf(changed), { data: { width: 100, height: 100, type: 'image/png' } });
    await until(() => storedContent(cluster).length === stored - 1, 'the old variant is removed');
    t.match(await small(), { width: 64, height: 64, format: 'png' });
    await cluster.fetch(`/files/${id}`, { method: 'DELETE' });
    await until(() => storedContent(cluster).length === stored - 2, 'all is removed');
  });
});
