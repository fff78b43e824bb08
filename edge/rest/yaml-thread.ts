/** A thread that reads one text of YAML and tells it as JSON, or what is wrong with it. */
import { parentPort, workerData } from 'node:worker_threads';
import { parse } from 'yaml';

try {
  // What stands for many copies of something is bounded by the library.
  const value: unknown = parse(String(workerData), { logLevel: 'error' });
  parentPort?.postMessage({ json: JSON.stringify(value ?? null) });
} catch (error) {
  const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
  const fault = line.replace(/[.:]$/, '');
  parentPort?.postMessage({ fault });
}
