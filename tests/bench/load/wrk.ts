/** Runs wrk, the load generator of the Debian package of that name, and reads its output. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Load, Target } from './load.ts';

/**
 * A Lua script that makes all requests once and then sends them in turn.
 * @param list the file with their paths, one on each line
 */
function scriptOf({ method, body }: Target, list: string): string {
  const parts = [
    JSON.stringify(method ?? 'GET'),
    'path',
    'nil',
    JSON.stringify(body) ?? 'nil',
  ].join(', ');
  const type = body === undefined ? '' : 'wrk.headers["Content-Type"] = "application/json"';
  return `
local requests = {}
local position = 0
function init()
  ${type}
  for path in io.lines(${JSON.stringify(list)}) do
    requests[#requests + 1] = wrk.format(${parts})
  end
end
function request()
  position = position % #requests + 1
  return requests[position]
end
`;
}

function rateOf(output: string): number {
  const faults = /Non-2xx or 3xx responses: \d+|Socket errors: .+/.exec(output)?.[0];
  if (faults !== undefined) throw new Error(`wrk got errors: ${faults}`);
  const rate = /^Requests\/sec:\s+([\d.]+)/m.exec(output)?.[1];
  if (rate === undefined) throw new Error(`wrk printed no rate: ${output}`);
  return Number(rate);
}

export const runWrk: Load = async (target, { connections, seconds, signal }) => {
  const { url, token } = target;
  const folder = mkdtempSync(join(tmpdir(), 'sluice-wrk-'));
  const script = join(folder, 'requests.lua');
  const list = join(folder, 'paths');
  writeFileSync(list, target.paths.join('\n'));
  writeFileSync(script, scriptOf(target, list));
  const args = ['-t', '1', '-c', String(connections), '-d', `${Math.ceil(seconds)}s`]
    .concat(token === null ? [] : ['-H', `Authorization: Bearer ${token}`])
    .concat(['-s', script, url]);
  try {
    const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'], signal });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += String(chunk);
    });
    await once(child, 'close');
    return rateOf(output);
  } finally {
    rmSync(folder, { recursive: true });
  }
};
