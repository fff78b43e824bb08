/**
 * Building blocks of configuration: they convert the text of a variable to a typed value. The list
 * of variables is `variables.ts`.
 */
import ipaddr from 'ipaddr.js';
import * as v from 'valibot';

/** One environment variable: its parser, meaning and default. */
export interface Variable<T, F extends string | undefined> {
  /** Returns the value, or the fault of the text. */
  readonly parse: v.GenericSchema<string, T>;
  /** The text used when the variable is unset; `undefined` leaves the value undefined. */
  readonly fallback: F;
  /** One line of documentation: the effect of the variable, and its unit. */
  readonly meaning: string;
  /** The conventional alternative name, read when the first is unset. */
  readonly alias?: string;
  /** Never printed or logged; can be read from a file with `<NAME>_FILE`. */
  readonly secret?: boolean;
}

const DURATION_UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const SIZE_UNITS: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1024,
  mb: 1024 ** 2,
  gb: 1024 ** 3,
};

/** Parses `<number><unit>` texts such as `30s` or `16mb`. */
function scaled(units: Readonly<Record<string, number>>, example: string) {
  const names = Object.keys(units).join(', ');
  return v.pipe(
    v.string(),
    v.rawTransform<string, number>(({ dataset, addIssue, NEVER }) => {
      const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(dataset.value.trim());
      const factor = units[match?.[2]?.toLowerCase() ?? ''];
      if (match?.[1] === undefined || factor === undefined) {
        addIssue({ message: `must be a number with a unit (${names}), such as ${example}` });
        return NEVER;
      }
      return Math.round(Number(match[1]) * factor);
    }),
  );
}

/** A path of a URL, such as `/websocket`. */
export const path = v.pipe(
  v.string(),
  v.regex(/^(?:\/[\w.~-]+)+$/, 'must be a path such as /websocket'),
);

/** A duration in milliseconds, written like `500ms`, `5s`, `15m`, `7d`. */
export const duration = scaled(DURATION_UNITS, '30s');

/** The same; a number without a unit is in seconds, as in other servers. */
export const durationOrSeconds = v.pipe(
  v.string(),
  v.transform((text) => (/^\d+$/.test(text.trim()) ? `${text.trim()}s` : text)),
  duration,
);

/** A size in bytes, written like `512kb`, `16mb`. */
export const size = scaled(SIZE_UNITS, '16mb');

/** A size in bytes; undefined for `off`. */
export const sizeOrOff = v.pipe(
  v.string(),
  v.rawTransform<string, number | undefined>(({ dataset, addIssue, NEVER }) => {
    if (dataset.value.trim().toLowerCase() === 'off') return undefined;
    const given = v.safeParse(size, dataset.value);
    if (given.success) return given.output;
    addIssue({ message: 'must be off, or a number with a unit (b, kb, mb, gb), such as 16mb' });
    return NEVER;
  }),
);

/** A whole number within bounds, both inclusive. */
export function integer(min: number, max: number) {
  const message = `must be a whole number from ${min} to ${max}`;
  return v.pipe(
    v.string(),
    v.regex(/^\d+$/, message),
    v.transform(Number),
    v.minValue(min, message),
    v.maxValue(max, message),
  );
}

/** A share, from 0 to 1. */
export const share = v.pipe(
  v.string(),
  v.regex(/^(?:0|1|[01]?\.\d+)$/, 'must be a number from 0 to 1'),
  v.transform(Number),
  v.maxValue(1, 'must be a number from 0 to 1'),
);

/** Text with at least one character. */
export const text = v.pipe(v.string(), v.nonEmpty('must not be empty'));

/** A URL with one of the given schemes, unchanged. */
export function url(...schemes: string[]) {
  const message = `must be a URL that begins with ${schemes.map((s) => `${s}://`).join(' or ')}`;
  return v.pipe(
    v.string(),
    v.check(
      (value) => URL.canParse(value) && schemes.includes(new URL(value).protocol.slice(0, -1)),
      message,
    ),
  );
}

/** One of a few words. */
export function choice<const T extends readonly string[]>(options: T) {
  return v.picklist(options, `must be one of ${options.join(', ')}`);
}

/** A comma list of HTTP tokens (RFC 9110, 5.6.2); may be empty. */
export const httpTokens = v.pipe(
  v.string(),
  v.transform((value) => value.split(',').map((entry) => entry.trim())),
  v.transform((entries) => entries.filter((entry) => entry !== '')),
  v.check(
    (entries) => entries.every((entry) => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(entry)),
    'must be a comma list of names without blanks',
  ),
);

/** A comma list that may be empty. */
export const possiblyEmptyList = v.pipe(
  v.string(),
  v.transform((value) =>
    value
      .split(',')
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ''),
  ),
);

/** A comma list with at least one entry. */
export const list = v.pipe(possiblyEmptyList, v.minLength(1, 'must name at least one entry'));

/** A comma list of http and https URLs without credentials, query and fragment, normalized. */
export const urlList = v.pipe(
  list,
  v.rawTransform<string[], readonly string[]>(({ dataset, addIssue, NEVER }) => {
    const urls = dataset.value.map((entry) => (URL.canParse(entry) ? new URL(entry) : null));
    const usable = urls.filter((entry) => entry !== null).filter(isPlain);
    if (usable.length === urls.length) return usable.map(({ href }) => href);
    addIssue({ message: 'must be http:// or https:// URLs without credentials, ? and #' });
    return NEVER;
  }),
);

function isPlain({ protocol, username, password, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && `${username}${password}${search}${hash}` === '';
}

const MAILBOX = /^(?:([^<>"]*)<([^<>]*)>|([^<>]*))$/;

/** A mail sender, written like `Name <name@example.com>` or `name@example.com`. */
export const mailbox = v.pipe(
  v.string(),
  v.rawTransform<string, { readonly name: string; readonly address: string }>(
    ({ dataset, addIssue, NEVER }) => {
      const [, name = '', bracketed, bare = ''] = MAILBOX.exec(dataset.value) ?? [];
      const address = (bracketed ?? bare).trim();
      if (/^[^\s@,;:\\"()[\]]+@[^\s@,;:\\"()[\]]+$/.test(address) && !/[\r\n]/.test(name)) {
        return { name: name.trim(), address };
      }
      addIssue({ message: 'must be like Name <name@example.com> or name@example.com' });
      return NEVER;
    },
  ),
);

/** A boolean. */
export const flag = v.pipe(
  v.string(),
  v.transform((value) => value.toLowerCase()),
  choice(['true', 'false', 'on', 'off', '1', '0'] as const),
  v.transform((value) => value === 'true' || value === 'on' || value === '1'),
);

/** A key for HMAC with SHA-256, at least as long as the hash (RFC 7518, 3.2). */
export const secretKey = v.pipe(
  v.string(),
  v.minLength(32, 'must have at least 32 characters, such as those of openssl rand -hex 32'),
);

/** The name of a response header (RFC 9110, 5.6.2) that does not frame the message. */
export const headerName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a name as headers may have it'),
  v.check(
    (name) => !/^(content-.*|transfer-encoding|connection|date|set-cookie|vary|etag)$/i.test(name),
    'must not be the name of a header with another meaning',
  ),
);

/** A valid cookie name (RFC 6265, 4.1.1). */
export const cookieName = v.pipe(
  v.string(),
  v.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, 'must be a name as cookies may have it'),
);

/** The proxies that are trusted to report the client's address. */
export type Proxies = 'none' | 'all' | readonly string[];

function isAddressOrRange(entry: string): boolean {
  return ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry);
}

/** A list of addresses and ranges in CIDR notation; `none` for an empty one. */
export const addressList = v.pipe(
  v.string(),
  v.transform((value) =>
    value
      .split(',')
      .map((entry) => entry.trim().toLowerCase())
      .filter((entry) => entry !== '' && entry !== 'none'),
  ),
  v.everyItem(isAddressOrRange, 'must be a list of addresses and ranges such as 10.0.0.0/8'),
);

/** `off`, `on`, or a list of addresses and ranges in CIDR notation. */
export const proxies = v.pipe(
  v.string(),
  v.rawTransform<string, Proxies>(({ dataset, addIssue, NEVER }) => {
    const value = dataset.value.trim().toLowerCase();
    if (['off', 'false', '0'].includes(value)) return 'none';
    if (['on', 'true'].includes(value)) return 'all';
    const entries = value.split(',').map((entry) => entry.trim());
    if (entries.every(isAddressOrRange)) return entries;
    addIssue({ message: 'must be off, on, or a list of addresses and ranges such as 10.0.0.0/8' });
    return NEVER;
  }),
);

/** Preserves the type of an entry: its value, and whether it has a default. */
export function define<T, const F extends string | undefined>(
  entry: Variable<T, F>,
): Variable<T, F> {
  return entry;
}
