/** Refuses a Node that nothing is tested with. */
import { SetupError } from '#core/model/system/setup-error.ts';

const NODE_MAJOR = '22';

/**
 * @param version that of Node, without the `v`
 * @throws {SetupError} when it is another one
 */
export function checkNode(version: string): void {
  if (version.split('.')[0] === NODE_MAJOR) return;
  throw new SetupError(
    `Sluice needs Node ${NODE_MAJOR}, and this is ${version}: ` +
      'start it with npm start, which uses the right one',
  );
}
