/**
 * An S3-compatible server in this process: s3rver, extended with two missing requests for
 * unfinished uploads, and with faults that a test specifies.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import S3rver from 's3rver';
import type { Teardown } from './database.ts';

const BUCKET = 'sluice';

export interface S3Server {
  readonly url: string;
  readonly bucket: string;
  /** Handles a request instead of the server when it returns true. */
  fault: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Names of the unfinished uploads. */
  unfinished(): readonly string[];
}

/** Responds with an S3 error. */
export function answerS3Error(response: ServerResponse, status: number, code: string): true {
  response.writeHead(status, { 'Content-Type': 'application/xml', Connection: 'close' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
  return true;
}

interface Unfinished {
  readonly id: string;
  readonly key: string;
  readonly begun: Date;
}

function unfinishedIn(folder: string): readonly Unfinished[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((id) => existsSync(join(folder, id, 'key')))
    .map((id) => {
      const file = join(folder, id, 'key');
      return { id, key: readFileSync(file, 'utf8'), begun: statSync(file).mtime };
    });
}

function listOf(uploads: readonly Unfinished[]): string {
  const entries = uploads.map(
    ({ id, key, begun }) => `<Upload><Key>${key}</Key><UploadId>${id}</UploadId>
      <Initiated>${begun.toISOString()}</Initiated></Upload>`,
  );
  return `<?xml version="1.0"?><ListMultipartUploadsResult><Bucket>${BUCKET}</Bucket>
    <IsTruncated>false</IsTruncated>${entries.join('')}</ListMultipartUploadsResult>`;
}

/**
 * s3rver removes empty folders, even one in which it is about to write another object, which
 * crashes its process. So each folder contains a file that is not an object.
 */
function keepFolder(bucket: string, path: string): void {
  const folder = join(bucket, dirname(decodeURIComponent(path).slice(`/${BUCKET}/`.length)));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, '.keep'), '');
}

/** Listens by default on a free port of the loopback interface; ends with the test. */
export async function startS3Server(
  t: Teardown,
  { host = '127.0.0.1', port = 0 }: { readonly host?: string; readonly port?: number } = {},
): Promise<S3Server> {
  const directory = mkdtempSync(join(tmpdir(), 'sluice-s3-'));
  const uploads = join(directory, BUCKET, '._S3rver_uploads');
  const s3rver = new S3rver({
    ...{ directory, silent: true, vhostBuckets: false },
    configureBuckets: [{ name: BUCKET }],
  });
  await s3rver.configureBuckets();
  const handle = s3rver.getMiddleware();
  const own: Omit<S3Server, 'url'> = {
    bucket: BUCKET,
    fault: () => false,
    unfinished: () => unfinishedIn(uploads).map(({ key }) => key),
  };
  const server = createServer((request, response) => {
    if (own.fault(request, response)) return;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const uploadId = searchParams.get('uploadId');
    if (request.method === 'DELETE' && uploadId !== null) {
      rmSync(join(uploads, uploadId), { recursive: true, force: true });
      response.writeHead(204).end();
    } else if (request.method === 'GET' && searchParams.has('uploads')) {
      const prefix = searchParams.get('prefix') ?? '';
      const some = unfinishedIn(uploads).filter(({ key }) => key.startsWith(prefix));
      response.writeHead(200, { 'Content-Type': 'application/xml' }).end(listOf(some));
    } else {
      if (request.method === 'PUT') keepFolder(join(directory, BUCKET), pathname);
      handle(request, response);
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  assert(address !== null && typeof address === 'object');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    rmSync(directory, { recursive: true, force: true });
  });
  return Object.assign(own, { url: `http://127.0.0.1:${address.port}` });
}
