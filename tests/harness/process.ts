/** What processes of the suite inherit from it, whatever else is kept from them. */

/** Where programs and the account's own files are, and how sources are loaded quickly. */
export function processEnvironment(): Readonly<Record<string, string>> {
  const { PATH = '', HOME = '/', NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env;
  const { TEST_STRIPPED, TEST_BUNDLES } = process.env;
  const quick = { NODE_OPTIONS, NODE_COMPILE_CACHE, TEST_STRIPPED, TEST_BUNDLES };
  const given = Object.entries(quick).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  const quiet = {
    // Many installations run at once; the tests of the monitor give it a port.
    MONITOR_PORT: '0',
    // On a busy machine workers that let everybody go first would keep tests waiting.
    WORKER_NICENESS: '0',
  };
  return { PATH, HOME, ...quiet, ...Object.fromEntries(given) };
}
