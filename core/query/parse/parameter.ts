/**
 * Parses the query parameters of a request, in every notation: bracket form (already unfolded),
 * JSON text, comma lists, or typed values from a SEARCH body.
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

/** Parses `backlink` and similar flags: true unless explicitly false. */
function parseFlag(name: string, raw: unknown): boolean {
  if (raw === undefined || raw === null || raw === '') return true;
  if (raw === true || raw === 'true' || raw === '1' || raw === 1) return true;
  if (raw === false || raw === 'false' || raw === '0' || raw === 0) return false;
  throw invalidQuery(reason('parameter_boolean_expected', { name }));
}

/** Items have one version, which has two names; other versions do not exist. */
function checkVersion(raw: unknown): void {
  if (raw === undefined || raw === null || raw === '') return;
  if (typeof raw !== 'string') throw invalidQuery(reason('version_text_expected'));
  if (raw !== 'main' && raw !== 'published') {
    throw forbidden(reason('version_unknown'));
  }
}

/** All members of a query object. */
export const QUERY_PARAMETERS = [
  ...LEVEL_PARAMETERS,
  ...['deep', 'meta', 'backlink', 'version', 'export', 'export_safe', 'export_sep', 'null_values'],
];

export interface ParseOptions {
  /** Reject unknown parameters instead of ignoring them. */
  readonly strict?: boolean;
  /** Further known parameters besides those of a query. */
  readonly beside?: readonly string[];
  /**
   * The parameters that come from a JSON body, whose values are typed; the others are texts of a
   * URL.
   */
  readonly typed?: Parameters;
}

/**
 * Parses the parameters of a read.
 * @throws ServiceError INVALID_QUERY naming the parameter and the place in it; FORBIDDEN for a
 * version that does not exist
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
