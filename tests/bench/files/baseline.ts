/**
 * The baseline of files, a separate process: a handler as somebody would write it by hand with
 * uWebSockets. `PUT /<name>` writes the body to a file under back-pressure, and answers its SHA-256 when
 * the name begins with `hashed`; `GET /<name>` sends it; no rows, no rights, no forms.
 */

import { App, type HttpRequest, type HttpResponse } from 'uWebSockets.js';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, statSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { drainOnDemand, tellSupervisor } from '#core/base/process/supervised-process.ts';

const settings = v.object({ port: v.number(), folder: v.string() });
export type FileBaseline = v.InferInput<typeof settings>;

const { port, folder } = v.parse(settings, JSON.parse(process.env.BASELINE ?? ''));

function fileOf(request: HttpRequest): string {
  return join(folder, request.getUrl().replaceAll('/', ''));
}

function receive(response: HttpResponse, request: HttpRequest): void {
  const path = fileOf(request);
  const hash = request.getUrl().startsWith('/hashed') ? createHash('sha256') : null;
  const file = createWriteStream(path, { highWaterMark: 1024 * 1024, flush: true });
  let isGone = false;
  response.onAborted(() => {
    isGone = true;
    file.destroy();
  });
  file.on('drain', () => {
    if (!isGone) response.resume();
  });
  file.on('finish', () => {
    if (isGone) return;
    isGone = true;
    response.cork(() => response.end(hash?.digest('hex')));
  });
  response.onData((piece, isLast) => {
    // The memory of the piece belongs to the server again after this call.
    const bytes = Buffer.from(piece.slice(0));
    hash?.update(bytes);
    const taken = file.write(bytes);
    if (isLast) file.end();
    else if (!taken) response.pause();
  });
}

function send(response: HttpResponse, request: HttpRequest): void {
  const path = fileOf(request);
  const bytes = statSync(path).size;
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  let isGone = false;
  response.onAborted(() => {
    isGone = true;
    file.destroy();
  });
  file.on('data', (piece) => {
    if (isGone || typeof piece === 'string') return;
    response.cork(() => {
      const start = response.getWriteOffset();
      const [taken, isDone] = response.tryEnd(piece, bytes);
      if (taken || isDone) return;
      file.pause();
      response.onWritable((offset) => {
        const [went, wentAll] = response.tryEnd(piece.subarray(offset - start), bytes);
        if (went && !wentAll) file.resume();
        return went;
      });
    });
  });
}

const app = App().put('/*', receive).get('/*', send);
app.listen('127.0.0.1', port, () => tellSupervisor({ type: 'ready' }));
drainOnDemand(async () => {
  app.close();
});
