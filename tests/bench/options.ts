/** The options of the bench: the arguments of `npm run bench --`. */
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as v from 'valibot';
import { SetupError } from '#core/model/system/setup-error.ts';
import { ROOT } from './process.ts';

export const PARTS = ['read', 'write', 'access', 'import', 'files', 'compile', 'schema'] as const;
export type Part = (typeof PARTS)[number];

const USAGE = `npm run bench -- [read] [write] [access] [import] [files] [compile]
              [schema] [options]
  --scale <n>       size of the data, 1 by default: 100,000 articles, a file of 1,000,000 rows
  --rounds <n>      alternating runs of each measurement, 5 by default; medians count
  --seconds <n>     length of one run of a read or write, 3 by default
  --only <text>     of the reads, writes and files only those whose id contains it, such as update
  --generator <g>   wrk or autocannon; by default wrk where it is installed
  --database-url <u> a server to use instead of an embedded one: its database "bench" is made anew
  --folder <path>   where database, files and results (<date>.json) go, .bench by default
  --profile         writes CPU profiles of edge and worker to <folder>/profile
`;

const positive = v.pipe(v.string(), v.transform(Number), v.number(), v.gtValue(0));
const values = v.object({
  scale: v.optional(v.pipe(positive, v.maxValue(100)), '1'),
  rounds: v.optional(v.pipe(positive, v.integer()), '5'),
  seconds: v.optional(positive, '3'),
  only: v.optional(v.string(), ''),
  generator: v.optional(v.picklist(['wrk', 'autocannon'])),
  folder: v.optional(
    v.pipe(
      v.string(),
      v.nonEmpty(),
      v.transform((path) => resolve(path)),
    ),
    join(ROOT, '.bench'),
  ),
  'database-url': v.optional(v.pipe(v.string(), v.url())),
  profile: v.optional(v.boolean(), false),
});

export interface Options extends v.InferOutput<typeof values> {
  readonly parts: readonly Part[];
}

/** Whether a measurement is selected, by its name without its part. */
export function isAsked({ only }: Options, { id }: { readonly id: string }): boolean {
  return id.slice(id.indexOf('/') + 1).includes(only);
}

/**
 * Parses the arguments.
 * @throws {SetupError} one line that says which of them is invalid
 */
export function parseOptions(args: readonly string[]): Options {
  try {
    const { values: given, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        scale: { type: 'string' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        only: { type: 'string' },
        generator: { type: 'string' },
        'database-url': { type: 'string' },
        folder: { type: 'string' },
        profile: { type: 'boolean' },
      },
    });
    const parts = v.parse(v.array(v.picklist(PARTS)), positionals);
    return { ...v.parse(values, given), parts: parts.length === 0 ? PARTS : parts };
  } catch (error) {
    const place = v.isValiError(error) ? ` (${v.getDotPath(error.issues[0]) ?? ''})` : '';
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError(`${reason}${place}\n${USAGE}`, { cause: error });
  }
}
