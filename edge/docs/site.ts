/**
 * `/docs`: the documentation as a site. Its pages are made with the first request, in a thread of their
 * own, and kept: there is no build, and an edge that nobody asks for them holds none.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as v from 'valibot';
import { unavailable } from '#core/errors/service-error.ts';
import { type FileSource, Folder, filesInMemory, firstOf } from '#edge/static/file-source.ts';
import { StaticFile } from '#edge/static/static-file.ts';
import { staticRoutes } from '#edge/static/static-routes.ts';
import { NOT_FOUND } from './source.ts';

const BUILT = v.array(v.object({ name: v.string(), type: v.string(), content: v.string() }));
const THREAD_MEGABYTES = 512;
const MADE_WITHIN_MS = 60_000;

async function build(): Promise<FileSource> {
  const thread = new Worker(new URL('./site-thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: THREAD_MEGABYTES },
  });
  const late = AbortSignal.timeout(MADE_WITHIN_MS);
  try {
    const [message] = await Promise.race([
      once(thread, 'message', { signal: late }),
      once(thread, 'exit').then(() => Promise.reject(new Error('the thread ended'))),
    ]);
    const files = v.parse(BUILT, message);
    return filesInMemory(
      new Map(files.map(({ name, type, content }) => [name, new StaticFile(type, content)])),
    );
  } catch (error) {
    throw unavailable('docs', 'The pages cannot be made now.', { cause: error });
  } finally {
    void thread.terminate();
  }
}

let pages: Promise<FileSource> | null = null;

/** The pages; who asks while they are made waits for the same. */
const made: FileSource = {
  async find(name) {
    pages ??= build();
    try {
      return await (await pages).find(name);
    } catch (error) {
      pages = null;
      throw error;
    }
  },
};

const folder = new Folder(join(import.meta.dirname, '../../ops/docs'), 'README.md');
const IMAGE = /\.(?:png|jpe?g|gif|webp|avif|svg)$/i;
const images: FileSource = {
  find: async (name) => (IMAGE.test(name) ? await folder.find(name) : null),
};
const source = firstOf(made, images);

const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'"],
  ...["connect-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join('; ');

export const DOCS_ROUTES = staticRoutes({
  prefix: '/docs',
  title: 'the documentation',
  enabled: ({ DOCS_PAGE }) => DOCS_PAGE,
  source: () => source,
  policy: () => POLICY,
  entry: '',
  hashed: /^assets\//,
  missing: NOT_FOUND,
});
