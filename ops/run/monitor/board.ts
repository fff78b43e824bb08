/** Serves bull-board: its page, its files, and its routes, of which only some may write. */
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { createBullBoard } from '@bull-board/api';
import type {
  AppControllerRoute,
  AppViewRoute,
  BullBoardQueues,
  IServerAdapter,
  UIConfig,
} from '@bull-board/api/typings/app';
import findMyWay from 'find-my-way';
import { ServiceError } from '#core/base/errors/service-error.ts';
import { type BoardQueue, SwitchedOffError } from './board-queue.ts';
import { html, type MonitorRequest, type MonitorResponse, text } from './http.ts';

/** The writing routes that use our services. */
const WRITING = new Set([
  'PUT /api/queues/pause',
  'PUT /api/queues/resume',
  'PUT /api/queues/:queueName/pause',
  'PUT /api/queues/:queueName/resume',
  'PUT /api/queues/:queueName/retry/:queueStatus',
  'PUT /api/queues/:queueName/:jobId/retry',
  'PUT /api/queues/:queueName/:jobId/clean',
]);

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
};

function json(status: number, body: unknown): MonitorResponse {
  return { status, type: 'application/json', body: JSON.stringify(body) };
}

/** The representation of an error in bull-board. */
function failure(error: unknown): MonitorResponse {
  const status =
    error instanceof SwitchedOffError ? 403 : error instanceof ServiceError ? error.status : 500;
  const message = error instanceof Error ? error.message : String(error);
  return json(status, { error: message, message });
}

type Handle = (
  request: MonitorRequest,
  params: Readonly<Record<string, unknown>>,
) => Promise<MonitorResponse>;

/** The adapter that `createBullBoard` configures. */
class Routes implements IServerAdapter {
  readonly #router = findMyWay({ ignoreTrailingSlash: true });
  readonly #basePath: string;
  #queues: BullBoardQueues = new Map();
  #config: UIConfig = {};
  #template = '';
  #files: ReadonlyMap<string, string> = new Map();

  constructor(basePath: string) {
    this.#basePath = basePath;
  }

  setQueues(queues: BullBoardQueues): this {
    this.#queues = queues;
    return this;
  }

  setViewsPath(folder: string): this {
    // The page loads no external content, including fonts.
    this.#template = readFileSync(join(folder, 'index.ejs'), 'utf8').replace(
      /<link href="https:\/\/fonts[^>]*>/,
      '',
    );
    return this;
  }

  setStaticPath(route: string, folder: string): this {
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    this.#files = new Map(
      files
        .filter((file) => file.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .map((file) => [`${route}${file.slice(folder.length)}`, file]),
    );
    return this;
  }

  setUIConfig(config: UIConfig): this {
    this.#config = config;
    return this;
  }

  setErrorHandler(): this {
    return this;
  }

  setEntryRoute(entry: AppViewRoute): this {
    for (const path of [entry.route].flat()) this.#on('GET', path, () => this.#page(entry));
    return this;
  }

  setApiRoutes(routes: readonly AppControllerRoute[]): this {
    for (const { method, route, handler } of routes) {
      for (const verb of [method].flat()) {
        for (const path of [route].flat()) {
          const name = `${verb.toUpperCase()} ${path}`;
          const allowed = verb === 'get' || WRITING.has(name);
          this.#on(verb.toUpperCase(), path, async (request, params) => {
            if (!allowed) throw new SwitchedOffError();
            const { status = 200, body } = await handler({
              queues: this.#queues,
              uiConfig: this.#config,
              query: Object.fromEntries(request.query),
              params,
              body: {},
              headers: {},
            });
            return json(status, body);
          });
        }
      }
    }
    return this;
  }

  /** @param path without the base path, with a leading slash */
  async handle(request: MonitorRequest, path: string): Promise<MonitorResponse> {
    const file = this.#files.get(path);
    if (file !== undefined && request.method === 'GET') {
      const type = TYPES[extname(file)] ?? 'application/octet-stream';
      return { status: 200, type, body: readFileSync(file) };
    }
    const found = isVerb(request.method) ? this.#router.find(request.method, path) : null;
    if (found === null) return text(404, 'There is no such page.');
    const handle: Handle = found.store;
    return await handle(request, found.params).catch(failure);
  }

  #on(verb: string, path: string, handle: Handle): void {
    if (isVerb(verb)) this.#router.on(verb, path, () => undefined, handle);
  }

  async #page(entry: AppViewRoute): Promise<MonitorResponse> {
    const { params } = entry.handler({ basePath: this.#basePath, uiConfig: this.#config });
    return html(
      this.#template.replace(/<%[-=] (\w+) %>/g, (_, name: string) => params[name] ?? ''),
    );
  }
}

const VERBS = ['GET', 'POST', 'PUT', 'PATCH'] as const;

function isVerb(method: string): method is (typeof VERBS)[number] {
  return VERBS.some((verb) => verb === method);
}

/** @param basePath of the board, without a final slash */
export function openBoard(
  queues: readonly BoardQueue[],
  basePath: string,
): (request: MonitorRequest, path: string) => Promise<MonitorResponse> {
  const routes = new Routes(basePath);
  const uiConfig = {
    boardTitle: 'Sluice queues',
    hideDocsLink: true,
    showMetrics: false,
    miscLinks: [{ text: 'Overview', url: '/' }],
  };
  createBullBoard({ queues: [...queues], serverAdapter: routes, options: { uiConfig } });
  return (request, path) => routes.handle(request, path);
}
