/** The parameters of the list of jobs. */
import * as v from 'valibot';
import type { ParameterTable } from '../route-facts.ts';
import { ITEM_PARAMETERS } from './item.ts';

const { search, limit, offset, page } = ITEM_PARAMETERS;
const SORTED = ['created_on', 'started_on', 'finished_on', 'state', 'kind', 'queue'].flatMap(
  (name) => [name, `-${name}`],
);

export const JOB_PARAMETERS: ParameterTable = {
  filter: {
    summary: 'Conditions on the fields of jobs, as of items',
    schema: v.record(v.string(), v.unknown()),
    spelling: 'json',
  },
  sort: {
    summary: 'Fields of jobs, `-` for descending',
    schema: v.array(v.picklist(SORTED)),
    spelling: 'list',
  },
  ...{ search, limit, offset, page },
  after: {
    summary: 'The id of the last job of the page before; goes with one sort field',
    schema: v.pipe(v.string(), v.uuid()),
  },
};
