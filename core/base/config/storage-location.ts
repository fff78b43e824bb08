/**
 * The variables of the file storage locations, with Directus-compatible names:
 * `STORAGE_<LOCATION>_…` for each name in STORAGE_LOCATIONS and IMPORT_LOCATIONS.
 */
import * as v from 'valibot';
import { choice, flag, text, url, type Variable } from './variable.ts';

/** A storage location for files. */
export type StorageLocation =
  | { readonly name: string; readonly driver: 'local'; readonly root: string }
  | {
      readonly name: string;
      readonly driver: 's3';
      /** The prefix of all file names; may be empty. */
      readonly root: string;
      readonly bucket: string;
      readonly region: string;
      readonly endpoint: string | undefined;
      readonly forcePathStyle: boolean;
      readonly credentials: { readonly key: string; readonly secret: string } | undefined;
      /** Clients fetch the bytes of files from the bucket. */
      readonly redirect: boolean;
    };

/**
 * The origins to which clients may be redirected for the bytes of a location: its server, with and
 * without the name of the bucket as a subdomain.
 */
export function redirectOrigins(location: StorageLocation): readonly string[] {
  if (location.driver !== 's3' || !location.redirect) return [];
  const { bucket, region } = location;
  const suffix = region.startsWith('cn-') ? '.cn' : '';
  const { protocol, host, origin } = new URL(
    location.endpoint ?? `https://s3.${region}.amazonaws.com${suffix}`,
  );
  if (location.forcePathStyle) return [origin];
  const named = URL.parse(`${protocol}//${bucket}.${host}`);
  return named === null ? [origin] : [origin, named.origin];
}

type Entry = Variable<unknown, string | undefined>;

/** The suffixes after `STORAGE_<LOCATION>_`. */
export const locationVariables = {
  DRIVER: {
    parse: choice(['local', 's3']),
    fallback: 'local',
    meaning: 'local for a folder, s3 for a bucket of S3 or of a server that speaks its protocol',
  },
  ROOT: {
    parse: text,
    fallback: undefined,
    meaning: 'The folder, by default DATA_DIR; with s3 what the names of files begin with',
  },
  BUCKET: { parse: text, fallback: undefined, meaning: 'The bucket; needed with s3' },
  REGION: { parse: text, fallback: 'us-east-1', meaning: 'Its region' },
  ENDPOINT: {
    parse: url('http', 'https'),
    fallback: undefined,
    meaning: 'URL of the server with s3; unset: that of AWS',
  },
  FORCE_PATH_STYLE: {
    parse: flag,
    fallback: 'false',
    meaning: 'Name the bucket in the path, as most servers need it that are not of AWS',
  },
  REDIRECT: {
    parse: flag,
    fallback: 'false',
    meaning: 'Send clients of /assets to the bucket, by URLs that it takes for a minute',
  },
  KEY: {
    parse: text,
    fallback: undefined,
    meaning: 'Access key; unset: what the AWS SDK finds, such as the role of the host',
  },
  SECRET: { parse: text, fallback: undefined, secret: true, meaning: 'Its secret' },
} as const satisfies Readonly<Record<string, Entry>>;

/** The prefix of the variables of a location. */
export function prefixOf(location: string): string {
  return `STORAGE_${location.toUpperCase().replaceAll('-', '_')}_`;
}

const NAME = /^[a-z0-9][a-z0-9_-]{0,62}$/i;

interface Source {
  /** The variable that has the names. */
  readonly variable: 'STORAGE_LOCATIONS' | 'IMPORT_LOCATIONS';
  readonly names: readonly string[];
  /** DATA_DIR */
  readonly folder: string;
  /** The text of a variable, or of its file. */
  readonly textOf: (name: string, entry: Entry) => string | undefined;
}

class LocationReader {
  readonly faults: string[] = [];
  readonly #source: Source;

  constructor(source: Source) {
    this.#source = source;
  }

  read(name: string): StorageLocation | null {
    const value = <T>(key: keyof typeof locationVariables, parse: v.GenericSchema<string, T>) => {
      const variable = `${prefixOf(name)}${key}`;
      const found = this.#source.textOf(variable, locationVariables[key]);
      if (found === undefined) return undefined;
      const result = v.safeParse(parse, found);
      if (result.success) return result.output;
      this.faults.push(`${variable}: ${result.issues[0].message}`);
      return undefined;
    };
    const entries = locationVariables;
    const driver = value('DRIVER', entries.DRIVER.parse);
    const root = value('ROOT', entries.ROOT.parse);
    if (driver === undefined) return null;
    if (driver === 'local') return { name, driver, root: root ?? this.#source.folder };
    const bucket = value('BUCKET', entries.BUCKET.parse);
    const [key, secret] = [value('KEY', entries.KEY.parse), value('SECRET', entries.SECRET.parse)];
    if (bucket === undefined) this.faults.push(`${prefixOf(name)}BUCKET: needed with s3`);
    if ((key === undefined) !== (secret === undefined)) {
      this.faults.push(`${prefixOf(name)}KEY: needs ${prefixOf(name)}SECRET, and the reverse`);
    }
    return {
      ...{ name, driver, root: root ?? '', bucket: bucket ?? '' },
      region: value('REGION', entries.REGION.parse) ?? entries.REGION.fallback,
      endpoint: value('ENDPOINT', entries.ENDPOINT.parse),
      forcePathStyle: value('FORCE_PATH_STYLE', entries.FORCE_PATH_STYLE.parse) ?? false,
      redirect: value('REDIRECT', entries.REDIRECT.parse) ?? false,
      credentials: key === undefined || secret === undefined ? undefined : { key, secret },
    };
  }
}

/** The locations in order, and a line for each fault in their variables. */
export function readLocations(source: Source): {
  readonly locations: readonly StorageLocation[];
  readonly faults: readonly string[];
} {
  const reader = new LocationReader(source);
  const prefixes = source.names.map(prefixOf);
  for (const name of source.names) {
    if (NAME.test(name)) continue;
    reader.faults.push(`${source.variable}: ${name} must be letters, digits, _ and -`);
  }
  if (new Set(prefixes).size < prefixes.length) {
    reader.faults.push(`${source.variable}: must not name a location twice`);
  }
  const locations = source.names.map((name) => reader.read(name)).filter((one) => one !== null);
  return { locations, faults: reader.faults };
}
