/** Three example requests, each as a shell command with its response. */
import { styleText } from 'node:util';
import * as v from 'valibot';
import type { Api } from './api.ts';
import type { Token } from './credentials.ts';

interface Example {
  readonly question: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
}

const EXAMPLES: readonly Example[] = [
  {
    question: 'Which airports do most flights leave from?',
    path: '/items/routes',
    query: {
      'aggregate[sum]': 'count',
      groupBy: 'origin',
      sort: '-sum.count',
      limit: '5',
    },
  },
  {
    question: 'Which routes are flown most, with the cities at both ends?',
    path: '/items/routes',
    query: {
      fields: 'origin.city,destination.city,count',
      sort: '-count',
      limit: '5',
    },
  },
  {
    question: 'Where do the busiest flights from Hawaii to the other states go?',
    path: '/items/routes',
    query: {
      fields: 'origin.city,destination.city,destination.state,count',
      'filter[origin][state][_eq]': 'HI',
      'filter[destination][state][_neq]': 'HI',
      sort: '-count',
      limit: '5',
    },
  },
];

const DEFAULT_WIDTH = 100;
const LEAST_WIDTH = 80;

const list = v.object({ data: v.array(v.unknown()) });

/** Percent-encodes a text, except commas, and brackets, which `curl -g` sends unchanged. */
function encode(text: string): string {
  return encodeURIComponent(text)
    .replaceAll('%2C', ',')
    .replaceAll('%5B', '[')
    .replaceAll('%5D', ']');
}

function pathOf({ path, query }: Example): string {
  const parameters = Object.entries(query).map(
    ([name, value]) => `${encode(name)}=${encode(value)}`,
  );
  return `${path}?${parameters.join('&')}`;
}

/** One line for each item, limited to the width of the terminal. */
function itemLines(items: readonly unknown[]): string[] {
  const width = Math.max(process.stdout.columns ?? DEFAULT_WIDTH, LEAST_WIDTH) - 6;
  return items.map((item) => {
    const text = JSON.stringify(item);
    return text.length > width ? `${text.slice(0, width - 1)}…` : text;
  });
}

/** Instructions for loading the token into the shell without printing a secret. */
function preparation(token: Token): string[] {
  if (token.file === null) return [];
  return [`  Once, for the token:  ${styleText('cyan', `. ${token.file}`)}`, ''];
}

/** Sends the requests and shows their responses. */
export async function showcase(
  api: Api,
  token: Token,
  print: (line: string) => void,
): Promise<void> {
  print(`\n  ${styleText('bold', 'Three requests to try')}\n`);
  for (const line of preparation(token)) print(line);
  for (const example of EXAMPLES) {
    const path = pathOf(example);
    const { data } = v.parse(list, await api.get(path));
    print(`  ${example.question}`);
    print(
      styleText(
        'cyan',
        `  curl -g -H "Authorization: Bearer $ADMIN_TOKEN" \\\n    "${api.url}${path}"`,
      ),
    );
    for (const line of itemLines(data)) print(`    ${styleText('dim', line)}`);
    print('');
  }
}
