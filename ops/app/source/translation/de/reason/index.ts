/** Warum der Server etwas ablehnt, nach dem Namen des Grundes: eine Datei für jeden Gegenstand des Katalogs. */
import type { ReasonTexts } from '../../reason-texts.ts';
import { accounts } from './accounts.ts';
import { files } from './files.ts';
import { graphql } from './graphql.ts';
import { jobs } from './jobs.ts';
import { live } from './live.ts';
import { query } from './query.ts';
import { request } from './request.ts';
import { schema } from './schema.ts';
import { service } from './service.ts';
import { system } from './system.ts';
import { tableFiles } from './table-files.ts';
import { transfer } from './transfer.ts';
import { values } from './values.ts';
import { write } from './write.ts';

export const reason: ReasonTexts = {
  ...accounts,
  ...files,
  ...graphql,
  ...jobs,
  ...live,
  ...query,
  ...request,
  ...schema,
  ...service,
  ...system,
  ...tableFiles,
  ...transfer,
  ...values,
  ...write,
};
