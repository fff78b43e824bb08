/** The text that an operator sees when everything is running. */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { styleText } from 'node:util';
import { ADMIN_APP_BUILD, DOCS_BUILD } from '#core/base/config/build-commands.ts';
import type { Config } from '#core/base/config/variables.ts';
import { adminAppFolder, docsFolder } from './built-folders.ts';
import type { GeneratedAdmin } from './initial-admin.ts';

export interface BannerFacts {
  /** The database, and the position of its data. */
  readonly database: string;
  /** The server of queue and messages. */
  readonly queue: string;
  /** Where files are stored. */
  readonly files: string;
  /** The number of processes of each kind. */
  readonly edges: number;
  readonly workers: number;
  /** Only if it was just created. */
  readonly admin: GeneratedAdmin | null;
  /** Null without one. */
  readonly monitor: {
    readonly url: string;
    /** Only if it was just generated. */
    readonly password: string | null;
  } | null;
}

const EMPTY: [string, string] = ['', ''];
const WILDCARDS = new Set(['0.0.0.0', '::', '[::]']);

/** The URL of the API for a browser on this machine. */
export function localUrl({ HOST, PORT }: Pick<Config, 'HOST' | 'PORT'>): string {
  const host = WILDCARDS.has(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

/** The URL of the monitor for a browser on this machine. */
export function monitorUrl(config: Pick<Config, 'MONITOR_HOST' | 'MONITOR_PORT'>): string {
  return localUrl({ HOST: config.MONITOR_HOST, PORT: config.MONITOR_PORT });
}

function monitorLines(config: Config, { url, password }: NonNullable<BannerFacts['monitor']>) {
  const { MONITOR_USER: user } = config;
  const shown: [string, string][] =
    password === null ? [] : [['', `User ${user}, password ${password} (shown only now)`]];
  return [['Monitor', url] satisfies [string, string], ...shown];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** The processes of this host; the rest of the installation runs on other hosts. */
function running({ edges, workers }: Pick<BannerFacts, 'edges' | 'workers'>): string {
  if (edges === 0) return `${count(workers, 'worker')}; edges run on other hosts`;
  if (workers === 0) return `${count(edges, 'edge')}; workers run on other hosts`;
  return `${count(edges, 'edge')}, ${count(workers, 'worker')}`;
}

/** The shorter of the absolute and the relative path. */
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
            `Shown only now, and kept in ${shortPath(admin.file)} until you delete it`,
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

/** The pages for browsers. */
function pageLines(config: Config, url: string): [string, string][] {
  const app: [string, string][] = existsSync(join(adminAppFolder(config), 'index.html'))
    ? [['Admin App', `${url}/admin`]]
    : [['Admin App', `not built; ${ADMIN_APP_BUILD} builds it`]];
  const docs: [string, string][] = existsSync(join(docsFolder(), 'docs.html'))
    ? [['Docs', `${url}/docs`]]
    : [['Docs', `not built; ${DOCS_BUILD} builds it`]];
  const lines = [...(config.ADMIN_APP ? app : []), ...(config.DOCS_PAGE ? docs : [])];
  return lines.length === 0 ? [] : [...lines, EMPTY];
}

function tryLines(url: string, token: string): [string, string][] {
  return [
    ['Try', `curl ${url}/server/ping`],
    ['', `curl -H "Authorization: Bearer ${token}" ${url}/server/health`],
  ];
}

/** The banner as text, in color when stdout is a terminal with colors. */
export function banner(config: Config, facts: BannerFacts): string {
  const url = config.PUBLIC_URL ?? localUrl(config);
  const token = facts.admin?.tokenGenerated ? facts.admin.token : '$ADMIN_TOKEN';
  const lines: [string, string][] = [
    ['Database', facts.database],
    ['Queue', facts.queue],
    ['Files', facts.files],
    ['Running', running(facts)],
    ['', ''],
    ...(facts.admin === null ? [] : adminLines(facts.admin)),
    ...(facts.monitor === null ? [] : [...monitorLines(config, facts.monitor), EMPTY]),
    ...(facts.edges === 0 ? [] : [...pageLines(config, url), ...tryLines(url, token)]),
  ];
  const where = facts.edges === 0 ? '' : ` at ${styleText(['cyan', 'underline'], url)}`;
  return [
    '',
    `  ${styleText('bold', 'Sluice is ready')}${where}`,
    '',
    ...lines.map(([label, text]) =>
      text === '' ? '' : `  ${styleText('dim', label.padEnd(11))}${text}`,
    ),
    '',
    `  ${styleText('dim', 'Ctrl-C stops it.')}`,
    '',
  ].join('\n');
}
