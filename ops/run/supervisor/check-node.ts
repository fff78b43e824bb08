/** Refuses untested versions of Node. */
import { SetupError } from '#core/model/system/setup-error.ts';

const NODE_MAJOR = '22';

/**
 * @param version of Node, without the `v`
 * @throws {SetupError} for another version
 */
export function checkNode(version: string): void {
  if (version.split('.')[0] === NODE_MAJOR) return;
  throw new SetupError(
    `Sluice needs Node ${NODE_MAJOR}, and this is ${version}: ` +
      'start it with npm start, which uses the right one',
  );
}
