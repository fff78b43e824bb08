/** A thread that parses one YAML text and returns it as JSON, or an error message. */
import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'yaml';

try {
  // The library limits aliases, which can repeat a large part many times.
  const value: unknown = parse(String(workerData), { logLevel: 'error' });
  parentPort?.postMessage({ json: JSON.stringify(value ?? null) });
} catch (error) {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  const fault = line.replace(/[.:]$/, '');
  parentPort?.postMessage({ fault });
}
