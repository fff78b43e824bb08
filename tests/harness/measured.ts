/** Images whose measured size appears in the response to their upload. */
import sharp from 'sharp';
import { bodyOf } from './body.ts';
import type { Cluster } from './cluster.ts';
import { until } from './until.ts';

interface FileRow {
  readonly id: string;
  readonly width: number | null;
}

async function rowOf(answer: Response): Promise<FileRow> {
  return (await bodyOf<{ data: FileRow }>(answer)).data;
}

/** Waits until a file has its width, and returns it. */
export async function measured(cluster: Cluster, id: string): Promise<number | null> {
  const width = async () => (await rowOf(await cluster.fetch(`/files/${id}`))).width;
  return await until(width, 'the image is measured');
}

/**
 * Uploads an image and waits until it is measured. A worker's first image waits for a process to
 * start, which can take longer than an upload waits.
 * @param requestId the id of the request
 */
export async function warmUpImages(cluster: Cluster, requestId = 'warm-up'): Promise<void> {
  const create = { width: 3, height: 2, channels: 3, background: '#00f' } as const;
  const form = new FormData();
  const content = new Uint8Array(await sharp({ create }).png().toBuffer());
  form.append('file', new File([content], 'first.png', { type: 'image/png' }));
  const headers = { 'X-Request-Id': requestId };
  const answer = await cluster.fetch('/files', { method: 'POST', body: form, headers });
  await measured(cluster, (await rowOf(answer)).id);
}
