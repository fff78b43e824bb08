/**
 * Reads the query parameters of a request, in every spelling that clients send: bracket form
 * (already unfolded), JSON text, comma lists, or ready values from a SEARCH body.
 */

import { DEFAULT_LIMITS } from '#core/base/config/query-limits.ts';
import { reason } from '#core/base/errors/reason.ts';
import { forbidden, invalidQuery } from '#core/base/errors/service-error.ts';
import type { JsonObject } from '#core/base/json/json-object.ts';
import { META_NAMES, type MetaName, type Query, type QueryBounds } from '../query.ts';
import { ElementCounter } from './counter.ts';
import { LEVEL_PARAMETERS, parseLevel, requireKnown } from './level.ts';
import { parseList } from './list.ts';

/** Parameters by name, values still raw: texts, lists and objects. */
export type Parameters = JsonObject;

const EXACT: readonly MetaName[] = ['total_count', 'filter_count'];

function parseMeta(raw: unknown, counter: ElementCounter): MetaName[] {
  if (raw === undefined || raw === null || raw === '') return [];
  const names = parseList('meta', raw, () => counter.add('listValues')).flatMap((name) => {
    if (name === '*') return EXACT;
    const known = META_NAMES.find((entry) => entry === name);
    if (known === undefined) throw invalidQuery(reason('meta_unknown', { name }));
    return [known];
  });
  return [...new Set(names)];
}

/** `backlink` and its like: true unless it is said to be false. */
function parseFlag(name: string, raw: unknown): boolean {
  if (raw === undefined || raw === null || raw === '') return true;
  if (raw === true || raw === 'true' || raw === '1' || raw === 1) return true;
  if (raw === false || raw === 'false' || raw === '0' || raw === 0) return false;
  throw invalidQuery(reason('parameter_boolean_expected', { name }));
}

/** Items have one version; both names that clients have for it are taken, others do not exist. */
function checkVersion(raw: unknown): void {
  if (raw === undefined || raw === null || raw === '') return;
  if (typeof raw !== 'string') throw invalidQuery(reason('version_text_expected'));
  if (raw !== 'main' && raw !== 'published') {
    throw forbidden(reason('version_unknown'));
  }
}

/** All that a query object can hold. */
export const QUERY_PARAMETERS = [
  ...LEVEL_PARAMETERS,
  ...['deep', 'meta', 'backlink', 'version', 'export', 'export_safe'],
];

export interface ParseOptions {
  /** Parameters that nobody knows are refused instead of passed over. */
  readonly strict?: boolean;
  /** Parameters beside those of a query that are known to whoever asks. */
  readonly beside?: readonly string[];
  /**
   * Those of the parameters that come from a JSON body, where a value has the type that it is written
   * in; the others are spelled in a URL.
   */
  readonly typed?: Parameters;
}

/**
 * Parses the parameters of a read.
 * @throws ServiceError INVALID_QUERY naming the parameter and the place in it; FORBIDDEN for a
 *   version that there is not
 */
export function parseQuery(
  parameters: Parameters,
  bounds: QueryBounds,
  { strict = false, beside = [], typed = {} }: ParseOptions = {},
): Query {
  if (strict) requireKnown(parameters, [...QUERY_PARAMETERS, ...beside]);
  const counter = new ElementCounter(bounds.limits ?? DEFAULT_LIMITS, bounds.maxFields);
  const level = parseLevel({ parameters, prefix: '', bounds, counter, strict, typed });
  checkVersion(parameters.version);
  return {
    ...level,
    fields: level.fields.length === 0 ? [['*']] : level.fields,
    meta: parseMeta(parameters.meta, counter),
    backlink: parseFlag('backlink', parameters.backlink),
  };
}
