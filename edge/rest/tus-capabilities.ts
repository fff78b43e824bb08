/** The supported features of tus 1.0, which clients request with OPTIONS before an upload. */
import type { Config } from '#core/base/config/variables.ts';

/** The supported extensions of the protocol. */
export const TUS_EXTENSIONS = [
  ...['creation', 'creation-with-upload', 'creation-defer-length'],
  ...['expiration', 'checksum', 'termination'],
];
/** Algorithms of `Upload-Checksum`, with the same names in `node:crypto`. */
export const TUS_CHECKSUMS = ['sha1', 'sha256', 'md5'] as const;

/** The capability headers of the server. */
export function tusCapabilities(
  config: Pick<Config, 'TUS_ENABLED' | 'FILES_MAX_UPLOAD_SIZE'>,
): Readonly<Record<string, string>> {
  const { FILES_MAX_UPLOAD_SIZE: max } = config;
  if (!config.TUS_ENABLED) return {};
  return {
    'Tus-Resumable': '1.0.0',
    'Tus-Version': '1.0.0',
    'Tus-Extension': TUS_EXTENSIONS.join(','),
    'Tus-Checksum-Algorithm': TUS_CHECKSUMS.join(','),
    ...(max === undefined ? {} : { 'Tus-Max-Size': String(max) }),
  };
}
