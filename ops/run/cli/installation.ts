/** The installation that commands use, over HTTP like any other client. */
import { setTimeout as delay } from 'node:timers/promises';
import * as v from 'valibot';
import type { Config } from '#core/base/config/variables.ts';
import { SetupError } from '#core/model/system/setup-error.ts';
import { Api, whoListens } from '#ops/run/demo/api.ts';
import { findToken } from '#ops/run/demo/credentials.ts';
import { localUrl } from '#ops/run/supervisor/banner.ts';
import { announcedUrl } from '#ops/run/supervisor/running-file.ts';

/** The pause (ms) between two checks of a long job. */
const LOOK_MS = 500;

const jobAnswer = v.object({
  data: v.object({
    state: v.string(),
    error: v.nullish(v.array(v.object({ message: v.string() }))),
  }),
});

function baseUrl(text: string): string {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol)) return text.replace(/\/+$/, '');
  throw new SetupError(
    `"${text}" is not a URL of an installation: it must begin with http:// or https://`,
  );
}

/**
 * The URL of this configuration's installation: from its running file, else from the configuration.
 */
function ownUrl(config: Config): string {
  return announcedUrl(config) ?? localUrl(config);
}

/**
 * The token for an installation. The token of the first start here is sent to this installation
 * only.
 * @throws {SetupError} without a token
 */
function tokenFor(config: Config, url: string): string {
  const own = ownUrl(config);
  if (config.ADMIN_TOKEN === undefined && url !== own) {
    throw new SetupError(`ADMIN_TOKEN: set it to the token of an administrator of ${url}`);
  }
  return findToken(config).text;
}

/**
 * Opens the installation at `given`, else at SLUICE_URL, else the one of this configuration.
 * @throws {SetupError} when no server responds there, or there is no token
 */
export async function openInstallation(
  config: Config,
  given: string | null,
  signal: AbortSignal,
): Promise<Api> {
  const url = baseUrl(given ?? config.SLUICE_URL ?? ownUrl(config));
  const api = new Api({ url, token: tokenFor(config, url), signal });
  const listener = await whoListens(url, signal);
  if (listener === 'sluice') return api;
  const what = listener === 'none' ? 'Nothing' : 'No Sluice';
  throw new SetupError(`${what} answers at ${url}: start it with npm start, or set SLUICE_URL`);
}

/**
 * Waits for the end of a job when the response refers to one; other responses are final.
 * @throws {SetupError} with the errors of the job
 */
export async function settled(api: Api, response: Response, signal: AbortSignal): Promise<void> {
  const location = response.headers.get('location');
  if (response.status !== 202 || location === null) return;
  for (;;) {
    const { state, error } = v.parse(jobAnswer, await api.get(location)).data;
    if (state === 'completed') return;
    if (state === 'failed' || state === 'cancelled') {
      const messages = (error ?? []).map(({ message }) => message).join(' ');
      throw new SetupError(`The change is ${state}. ${messages}`.trim());
    }
    await delay(LOOK_MS, undefined, { signal });
  }
}
