/** Variables that Sluice sets itself, or that its tests set. */
import { define, text } from '../variable.ts';

export const internalVariables = {
  DATABASE_SHORTAGE: define({
    parse: text,
    fallback: undefined,
    meaning: 'Set by npm start: the warning of health when PostgreSQL allows too few connections',
  }),
  FAILPOINT: define({
    parse: text,
    fallback: undefined,
    meaning:
      'For tests: the failpoint at which a process stops; a job continues there after SIGCONT',
  }),
};
