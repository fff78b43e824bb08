/** What clients of tus should not send, and how it is answered. */

const encode = (text: string) => Buffer.from(text).toString('base64');

/** Lengths of uploads. */
export const LENGTHS: readonly (readonly [string, readonly number[]])[] = [
  ...['-1', '1.5', '1e3', '0x10', 'NaN', 'Infinity', '5 5', '99999999999999999999999'].map(
    (length) => [length, [400, 413]] as const,
  ),
  ['9007199254740993', [400, 413]],
  ['1000001', [413]],
];

const VALUES: readonly (readonly [string, string])[] = [
  ['title', '\0'],
  ['id', 'x'],
  ['id', '../x'],
  ['storage', '../x'],
  ['storage', '__proto__'],
  ['folder', 'nope'],
  ['focal_point_x', '1e400'],
  ['tags', '['.repeat(3_000)],
  ['type', 'text/html\r\nX: y'],
  ['filetype', 'x'.repeat(2_000)],
  ['__proto__', 'x'],
  ['constructor', 'x'],
];

/** Headers `Upload-Metadata` of uploads of three bytes. */
export const METADATA: readonly string[] = [
  ...['', ',', 'filename', 'filename ,', 'filename ***', 'filename  eA==', 'filename eA==,,'],
  ...['filename eA==,filename eQ==', 'filename /w==', 'filename eA==,id', 'filename \xff'],
  ...['a\0b', '/', '..', 'x'.repeat(3_000)].map((name) => `filename ${encode(name)}`),
  ...VALUES.map(([name, value]) => `filename eA==,${name} ${encode(value)}`),
  `filename eA==,${Array.from({ length: 300 }, (_, n) => `k${n} eA==`).join(',')}`,
];

type Sent = readonly [string, Readonly<Record<string, string>>, string, readonly number[]];

/** Pieces for an upload of ten bytes of which nothing has arrived. */
export const PIECES: readonly Sent[] = [
  ['5', {}, 'x', [409]],
  ...['-1', 'x', '0.5', '0e0', '00'].map((offset): Sent => [offset, {}, 'x', [400]]),
  ['0', { 'Content-Type': 'text/plain' }, 'x', [400, 415]],
  ['0', {}, 'x'.repeat(11), [413]],
  ...['sha1', 'sha1 !!!', `sha1 ${'A'.repeat(3_000)}`, 'sha1 eA=='].map(
    (sum): Sent => ['0', { 'Upload-Checksum': sum }, 'x', [460]],
  ),
  ['0', { 'Upload-Checksum': '__proto__ eA==' }, 'x', [400]],
  ['0', { 'Upload-Length': '99' }, 'x', [400]],
  ['0', { 'Upload-Length': 'x' }, 'x', [400]],
  ['0', { 'Tus-Resumable': '0.2.2' }, 'x', [400, 412]],
];

/** Lengths that are told one after the other. */
export const DEFERRED: readonly (readonly [string, readonly number[]])[] = [
  ['-1', [400]],
  ['x', [400]],
  ['9999999999', [413]],
  ['5', [204]],
  ['7', [400]],
  ['3', [400]],
];
