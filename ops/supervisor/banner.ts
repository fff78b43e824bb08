/** What an operator reads when everything runs. */
import { relative } from 'node:path';
import { styleText } from 'node:util';
import type { Config } from '#core/config/config.ts';
import type { GeneratedAdmin } from './initial-admin.ts';

export interface BannerFacts {
  /** What the database is and where the data lies. */
  readonly database: string;
  /** What carries queue and messages. */
  readonly queue: string;
  /** How many of each run. */
  readonly edges: number;
  readonly workers: number;
  /** Only when it was made just now. */
  readonly admin: GeneratedAdmin | null;
}

const WILDCARDS = new Set(['0.0.0.0', '::', '[::]']);

/** The URL of the API as a browser on this machine can use it. */
export function localUrl(config: Pick<Config, 'HOST' | 'PORT'>): string {
  const host = WILDCARDS.has(config.HOST) ? '127.0.0.1' : config.HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.PORT}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The path as short as it can be written from the working directory. */
function shortPath(path: string): string {
  const near = relative('.', path);
  return near.startsWith('..') ? path : near;
}

function adminLines(admin: GeneratedAdmin): [string, string][] {
  const note =
    admin.file === null
      ? []
      : [
          [
            '',
            `Shown this once, and kept in ${shortPath(admin.file)} until you delete it`,
          ] satisfies [string, string],
        ];
  return [
    ['Admin', admin.email],
    ['Password', admin.passwordGenerated ? admin.password : 'as set in ADMIN_PASSWORD'],
    ['Token', admin.tokenGenerated ? admin.token : 'as set in ADMIN_TOKEN'],
    ...note,
    ['', ''],
  ];
}

/** The banner as text, in colour where stdout is a terminal that wants it. */
export function banner(config: Config, facts: BannerFacts): string {
  const url = config.PUBLIC_URL ?? localUrl(config);
  const token = facts.admin?.tokenGenerated ? facts.admin.token : '$ADMIN_TOKEN';
  const lines: [string, string][] = [
    ['Database', facts.database],
    ['Queue', facts.queue],
    ['Running', `${count(facts.edges, 'edge')}, ${count(facts.workers, 'worker')}`],
    ['', ''],
    ...(facts.admin === null ? [] : adminLines(facts.admin)),
    ['Try', `curl ${url}/server/ping`],
    ['', `curl -H "Authorization: Bearer ${token}" ${url}/server/health`],
  ];
  return [
    '',
    `  ${styleText('bold', 'Sluice is ready')} at ${styleText(['cyan', 'underline'], url)}`,
    '',
    ...lines.map(([label, text]) =>
      text === '' ? '' : `  ${styleText('dim', label.padEnd(10))}${text}`,
    ),
    '',
    `  ${styleText('dim', 'Ctrl-C stops it.')}`,
    '',
  ].join('\n');
}
