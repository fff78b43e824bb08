/**
 * All metrics by name: their meaning, their type and their labels. `ops/docs/monitor.md` describes
 * the same ones.
 */

export interface MetricFacts {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of the buckets of a histogram. */
  readonly buckets?: readonly number[];
  /**
   * Each process reports separate values, with its name as the label `process`; other values are
   * summed.
   */
  readonly ofProcess?: true;
}

/** Request durations in seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** Job durations in seconds. */
const JOB_BUCKETS = [0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];
/** Timer delays in seconds. */
const DELAY_BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Preserves the names and labels of the entries. */
function define<const T extends Readonly<Record<string, MetricFacts>>>(metrics: T): T {
  return metrics;
}

export const METRICS = define({
  sluice_http_requests_total: {
    type: 'counter',
    help: 'Requests that ended, by the template of their route and their status',
    labels: ['method', 'route', 'status'],
  },
  sluice_http_request_duration_seconds: {
    type: 'histogram',
    help: 'Time from the head of a request to the end of its answer',
    labels: ['method', 'route'],
    buckets: REQUEST_BUCKETS,
  },
  sluice_http_requests_in_progress: {
    type: 'gauge',
    help: 'Requests that are not completely answered',
    labels: [],
  },
  sluice_http_connections: {
    type: 'gauge',
    help: 'Open connections of clients',
    labels: [],
  },
  sluice_streams_open: {
    type: 'gauge',
    help: 'Answers that are being streamed: items and events',
    labels: ['kind'],
  },
  sluice_websockets_half_sent_total: {
    type: 'counter',
    help: 'WebSockets that were closed because messages that arrived in part held too much memory',
    labels: [],
    ofProcess: true,
  },
  sluice_websockets_open: {
    type: 'gauge',
    help: 'Open WebSockets by protocol: rest and graphql',
    labels: ['protocol'],
  },
  sluice_live_subscriptions: {
    type: 'gauge',
    help: 'Subscriptions to changes of items',
    labels: [],
  },
  sluice_live_events_total: {
    type: 'counter',
    help: 'Events that were told to subscribers',
    labels: [],
  },
  sluice_database_connections: {
    type: 'gauge',
    help: 'Connections to PostgreSQL by pool, in use or idle',
    labels: ['pool', 'state'],
  },
  sluice_database_connections_max: {
    type: 'gauge',
    help: 'Most connections of a pool, over all processes',
    labels: ['pool'],
  },
  sluice_database_waiting: {
    type: 'gauge',
    help: 'Work that waits for a connection of a pool',
    labels: ['pool'],
  },
  sluice_database_statements_total: {
    type: 'counter',
    help: 'Statements that PostgreSQL has answered; a script counts once',
    labels: ['pool'],
  },
  sluice_catalog_version: {
    type: 'gauge',
    help: 'Version of the catalog that a process serves',
    labels: [],
    ofProcess: true,
  },
  sluice_cache_reads_total: {
    type: 'counter',
    help: 'Reads by what the response cache did: hit, miss, or bypass when it may not answer',
    labels: ['result'],
  },
  sluice_cache_bytes: {
    type: 'gauge',
    help: 'Memory of the answers that the response cache holds',
    labels: [],
  },
  sluice_rate_limit_decisions_total: {
    type: 'counter',
    help: 'Requests that a rate limit counted, by whether it let them pass',
    labels: ['limit', 'decision'],
  },
  sluice_jobs_running: {
    type: 'gauge',
    help: 'Jobs that workers do at the moment',
    labels: [],
  },
  sluice_job_duration_seconds: {
    type: 'histogram',
    help: 'Time of one delivery of a job, by its kind and outcome',
    labels: ['kind', 'outcome'],
    buckets: JOB_BUCKETS,
  },
  sluice_job_stalls_total: {
    type: 'counter',
    help: 'Deliveries that did not come to their end, by the reason',
    labels: ['reason'],
  },
  sluice_import_rows_total: {
    type: 'counter',
    help: 'Rows that imports have read; those of an import that is tried again count again',
    labels: [],
  },
  sluice_import_bytes_total: {
    type: 'counter',
    help: 'Bytes of files that imports have read, as with the rows',
    labels: [],
  },
  sluice_queue_jobs: {
    type: 'gauge',
    help: 'Open jobs of the whole installation by queue, waiting or running',
    labels: ['queue', 'state'],
  },
  sluice_queue_oldest_waiting_seconds: {
    type: 'gauge',
    help: 'Age of the oldest job of a queue that waits; 0 without one',
    labels: ['queue'],
  },
  sluice_queue_state: {
    type: 'gauge',
    help: 'The switch of a queue: 1 for the state that it has, 0 for the others',
    labels: ['queue', 'state'],
  },
  sluice_sessions: {
    type: 'gauge',
    help: 'Sessions of the whole installation that have not expired',
    labels: [],
  },
  sluice_processes: {
    type: 'gauge',
    help: 'Processes of this host by role, by whether they told their metrics within a second',
    labels: ['role', 'state'],
  },
  sluice_monitor_reads_failed_total: {
    type: 'counter',
    help: 'Reads of the queues for these metrics that the database did not answer',
    labels: [],
  },
  sluice_event_loop_delay_seconds: {
    type: 'histogram',
    help: 'How late a timer of ten a second runs: what everything in the process waits',
    labels: [],
    ofProcess: true,
    buckets: DELAY_BUCKETS,
  },
  sluice_process_resident_memory_bytes: {
    type: 'gauge',
    help: 'Resident memory of a process',
    labels: [],
    ofProcess: true,
  },
  sluice_process_heap_used_bytes: {
    type: 'gauge',
    help: 'JavaScript heap of a process that is in use',
    labels: [],
    ofProcess: true,
  },
  sluice_memory_held_bytes: {
    type: 'gauge',
    help: 'Memory of an edge that users and addresses hold: bytes of bodies and answers, or values made of them',
    labels: ['kind'],
    ofProcess: true,
  },
  sluice_memory_max_bytes: {
    type: 'gauge',
    help: 'Memory of an edge that they can hold together, by kind as above',
    labels: ['kind'],
    ofProcess: true,
  },
  sluice_memory_holders: {
    type: 'gauge',
    help: 'Users and addresses that hold memory of an edge, by kind as above',
    labels: ['kind'],
    ofProcess: true,
  },
  sluice_memory_waiting: {
    type: 'gauge',
    help: 'Requests of an edge that wait for memory, and heavy ones that wait for their turn',
    labels: ['wait'],
    ofProcess: true,
  },
  sluice_memory_refused_total: {
    type: 'counter',
    help: 'Requests that were refused because their user or address held too much memory of an edge',
    labels: [],
    ofProcess: true,
  },
  sluice_process_cpu_seconds_total: {
    type: 'counter',
    help: 'Processor time of a process',
    labels: [],
    ofProcess: true,
  },
  sluice_process_start_time_seconds: {
    type: 'gauge',
    help: 'When a process was started, in seconds since 1970',
    labels: [],
    ofProcess: true,
  },
});

export type MetricName = keyof typeof METRICS;
export type LabelsOf<N extends MetricName> = Readonly<
  Record<(typeof METRICS)[N]['labels'][number], string>
>;
/** The names of the metrics of a type. */
export type NameOf<T extends MetricFacts['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never;
}[MetricName];
