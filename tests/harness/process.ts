/** The environment that processes of the suite inherit; other variables are not inherited. */

/**
 * The paths of programs and of the account's files, and the variables for fast loading of sources.
 */
export function processEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '/', NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env;
  const { TEST_STRIPPED, TEST_BUNDLES } = process.env;
  const quick = { NODE_OPTIONS, NODE_COMPILE_CACHE, TEST_STRIPPED, TEST_BUNDLES };
  const given = Object.entries(quick).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const quiet = {
    // Many installations run concurrently; only the tests of the monitor set a port.
    MONITOR_PORT: '0',
    // On a busy machine low-priority workers would delay tests.
    WORKER_NICENESS: '0',
  };
  return { PATH, HOME, ...quiet, ...Object.fromEntries(given) };
}
