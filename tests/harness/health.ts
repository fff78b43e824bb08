/** The health of an installation, as an administrator reads it. */
import { until } from './until.ts';

/** The message of a check that did not respond in time. */
const LATE = 'No answer within';

/**
 * Repeats the query until each check has responded, because some checks are too late on a busy
 * machine.
 * @param ask returns the body of `GET /server/health`
 */
export async function completeHealth<T extends object>(ask: () => Promise<T>): Promise<T> {
  return await until(async () => {
    const health = await ask();
    return JSON.stringify(health).includes(LATE) ? null : health;
  }, 'all checks have their answers');
}
