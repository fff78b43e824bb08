/**
 * The size of an edge's JavaScript heap: EDGE_MEMORY, or a part of the memory of its machine or
 * container. The supervisor passes it to the process, which reads its actual limit.
 */
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Config } from '../config/variables.ts';

const MEGABYTE = 1_048_576;
/** Bounds of the default, in bytes. */
const LEAST = 256 * MEGABYTE;
const MOST = 4_096 * MEGABYTE;

/** The option of Node.js, at any position. */
const HEAP_OPTION = /--max[-_]old[-_]space[-_]size/;

/** The memory of this machine, or of the container, in bytes. */
function machineMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY);
}

/**
 * The default of EDGE_MEMORY: half of the memory, divided by the number of edges plus one, since
 * bodies and answers are outside the heap.
 * @param memory that of the machine, in bytes
 */
function defaultHeapSize(edges: number, memory: number): number {
  return Math.min(MOST, Math.max(LEAST, memory / 2 / (Math.max(1, edges) + 1)));
}

/** The options for starting an edge. Without EDGE_MEMORY, a heap size in NODE_OPTIONS applies. */
export function heapOptions(
  { EDGE_MEMORY, EDGE_PROCESSES }: Pick<Config, 'EDGE_MEMORY' | 'EDGE_PROCESSES'>,
  nodeOptions = process.env.NODE_OPTIONS ?? '',
): readonly string[] {
  if (EDGE_MEMORY === undefined && HEAP_OPTION.test(nodeOptions)) return [];
  const size = EDGE_MEMORY ?? defaultHeapSize(EDGE_PROCESSES, machineMemory());
  return [`--max-old-space-size=${Math.floor(size / MEGABYTE)}`];
}

/** The maximum heap size of this process, in bytes. */
export function heapLimit(): number {
  return getHeapStatistics().heap_size_limit;
}

/** The used heap of this process, including garbage, in bytes. */
export function heapUsed(): number {
  return getHeapStatistics().used_heap_size;
}
