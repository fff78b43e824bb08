/** Writes a request as a command of curl, for the shells of Unix. */
import { queryOf, type ReadRequest, routePath } from './request.ts';

/** Texts that mean something else in a URL than in the body of SEARCH. */
const SPELLINGS = /"(?:null|true|false|undefined)"/i;
/** Characters of a query from which on it is sent as a body: URLs have a limit. */
const LONG = 4_000;

/** A text as one word of a shell, whatever is in it. */
export function shellWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function parameterText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

/**
 * The command that sends the request with the token in the variable `TOKEN`.
 * @param origin where the server is, without a slash at its end
 */
export function curlText(request: ReadRequest, origin: string): string {
  const query = queryOf(request);
  const url = shellWord(`${origin}${routePath(request)}`);
  const body = JSON.stringify({ query });
  const token = '-H "Authorization: Bearer $TOKEN"';
  const isBody = SPELLINGS.test(JSON.stringify(query.filter) ?? '') || body.length > LONG;
  const parts = isBody
    ? [
        `curl -X SEARCH ${url}`,
        token,
        "-H 'Content-Type: application/json'",
        `--data-raw ${shellWord(body)}`,
      ]
    : [
        `curl -G ${url}`,
        token,
        ...Object.entries(query).map(
          ([name, value]) => `--data-urlencode ${shellWord(`${name}=${parameterText(value)}`)}`,
        ),
      ];
  return parts.join(' \\\n  ');
}
