/** Variables: Processes, monitor and health. */
import * as v from 'valibot';
import { define, duration, integer, size, text } from '../variable.ts';

export const processVariables = {
  EDGE_PROCESSES: define({
    parse: integer(0, 64),
    fallback: '1',
    meaning: 'Processes that answer requests, sharing one port',
  }),
  EDGE_MEMORY: define({
    parse: v.pipe(size, v.minValue(128 * 1024 ** 2, 'must be at least 128mb')),
    fallback: undefined,
    meaning:
      'JavaScript heap of each edge; bodies and answers may take half as much besides. Unset: half of the memory of the machine or container, divided by EDGE_PROCESSES + 1, from 256mb to 4gb',
  }),
  WORKER_PROCESSES: define({
    parse: integer(0, 64),
    fallback: '1',
    meaning: 'Processes that do jobs',
  }),
  WORKER_CONCURRENCY: define({
    parse: integer(1, 100),
    fallback: '2',
    meaning: 'Jobs that one worker does at the same time from each queue',
  }),
  MONITOR_PORT: define({
    parse: integer(0, 65_535),
    fallback: '8056',
    meaning: 'TCP port of the monitor; 0 for none',
  }),
  MONITOR_HOST: define({
    parse: text,
    fallback: '127.0.0.1',
    meaning: 'Address the monitor listens on',
  }),
  MONITOR_USER: define({
    parse: text,
    fallback: 'operator',
    meaning: 'User of the monitor',
  }),
  MONITOR_PASSWORD: define({
    parse: v.pipe(v.string(), v.minLength(8, 'must have at least 8 characters')),
    fallback: undefined,
    secret: true,
    meaning: 'Password of the monitor; unset: generated at the first start and shown once',
  }),
  WORKER_NICENESS: define({
    parse: integer(0, 19),
    fallback: '10',
    meaning:
      'How far workers let other processes of their host have the processors first: 0 (not) to 19',
  }),
  QUEUE_STUCK_AFTER: define({
    parse: duration,
    fallback: '10s',
    meaning: 'Time after which a job that could run and that no worker takes is an error in health',
  }),
  QUEUE_WAIT_WARN: define({
    parse: duration,
    fallback: '10m',
    meaning: 'Time that the oldest job of a queue may wait before the health report warns',
  }),
  WATCHDOG_TIMEOUT: define({
    parse: duration,
    fallback: '15s',
    meaning:
      'Time without a sign of life after which an edge or a worker is ended and started again',
  }),
  REDIS_MEMORY_WARN: define({
    parse: integer(1, 100),
    fallback: '80',
    meaning: 'Percentage of the memory limit of Redis above which the health report warns',
  }),
  STORAGE_WARN_FREE: define({
    parse: size,
    fallback: '1gb',
    meaning: 'Free space for files below which the health report warns',
  }),
};
