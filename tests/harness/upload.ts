/** Uploads files to the import endpoint of a cluster. */
import type { Cluster } from './cluster.ts';

export interface UploadOptions {
  readonly name?: string;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Sends a file in a part named `file`. */
export function upload(
  cluster: Cluster,
  collection: string,
  content: string | Uint8Array<ArrayBuffer>,
  { name = 'file.csv', type = 'text/csv', headers = {}, query = '' }: UploadOptions = {},
): Promise<Response> {
  const form = new FormData();
  form.set('file', new Blob([content], { type }), name);
  return cluster.fetch(`/utils/import/${collection}${query}`, {
    method: 'POST',
    body: form,
    headers,
  });
}
