/** The options of an import together: from the query, the parts of the form before the file, and a profile. */
import { isDeepStrictEqual } from 'node:util';
import { type Reason, reason } from '#core/base/errors/reason.ts';
import { invalidPayload, invalidQuery } from '#core/base/errors/service-error.ts';
import type { ImportFormat } from '#core/jobs/message/import.ts';
import type { ImportParameters } from '#core/jobs/message/import-parameters.ts';
import { misfit, optionName } from './import-format-options.ts';
import { parseImportOption } from './import-option.ts';

/** The characters that must differ, with their options. */
function characters(given: ImportParameters): [string, string][] {
  const { separator: between = ',', quote = '"', comment } = given;
  const found: [string, string | undefined][] = [
    ['separator', between],
    ['quote', quote],
    ['comment', comment],
  ];
  return found.flatMap(([name, mark]) => (mark === undefined || mark === '' ? [] : [[name, mark]]));
}

/** Why options contradict each other; null when they do not. */
export function contradiction(given: ImportParameters): Reason | null {
  const { mode, match, create, onError, maxErrors } = given;
  if (maxErrors !== undefined && onError !== 'skip') return reason('max_errors_without_skip');
  if (given.maxDeletes !== undefined && mode !== 'mirror') {
    return reason('max_deletes_without_mirror');
  }
  if (given.undo === true && mode === 'mirror') return reason('undo_with_mirror');
  if (match !== undefined && mode === 'insert') return reason('match_with_insert');
  if (create === true && mode === 'update') return reason('create_with_update');
  if (create !== true) {
    const name = (['types', 'relations', 'typesTolerance', 'key', 'name'] as const).find(
      (one) => given[one] !== undefined,
    );
    if (name !== undefined) return reason('option_of_new_collection', { name: optionName(name) });
  }
  if (given.thousands !== undefined && given.thousands === (given.decimal ?? '.')) {
    return reason('same_characters', { name: 'thousands', other: 'decimal' });
  }
  if (given.quote === '' && given.escape !== undefined) return reason('escape_without_quote');
  const marks = characters(given);
  for (const [index, [name, mark]] of marks.entries()) {
    const other = marks.slice(0, index).find(([, earlier]) => earlier === mark);
    if (other !== undefined) return reason('same_characters', { name, other: other[0] });
  }
  const other = marks.find(([name, mark]) => name !== 'quote' && mark === given.escape);
  return other === undefined ? null : reason('escape_same_as_other', { other: other[0] });
}

/** Parameters of the route that are not options of the import. */
const BESIDE = new Set(['background', 'access_token', 'profile']);

/**
 * The options in the query; {@link importParameters} checks contradictions.
 * @throws ServiceError INVALID_QUERY for an unknown option or a wrong value
 */
export function importQuery(query: Readonly<Record<string, unknown>>): ImportParameters {
  const given = Object.entries(query).filter(([name]) => !BESIDE.has(name));
  const parsed = given.map(([name, raw]) => parseImportOption(name, raw, invalidQuery));
  return Object.assign({}, ...parsed);
}

/** The facts about the file that are known before it is read. */
export interface FileFacts {
  readonly format: ImportFormat;
  /** Options from its name or its type; explicit options override them. */
  readonly implied?: ImportParameters;
  /** Those of its profile, which override what is implied. */
  readonly profile?: ImportParameters | undefined;
}

/** Parameters that replace others. A mapping replaces the references of the other one, too. */
function replacing(others: ImportParameters, parameters: ImportParameters): ImportParameters {
  const { references: _, ...rest } = others;
  return { ...(parameters.mapping === undefined ? others : rest), ...parameters };
}

/**
 * The options of the query together with those in the parts of the form before the file.
 * @throws ServiceError INVALID_PAYLOAD for an unknown option or a wrong value, and, like
 *   INVALID_QUERY, for options that contradict each other
 */
export function importParameters(
  query: ImportParameters,
  parts: ReadonlyMap<string, string>,
  { format, implied = {}, profile = {} }: FileFacts,
): ImportParameters {
  const given: Readonly<Record<string, unknown>> = query;
  let parsed = query;
  for (const [name, text] of parts) {
    const part = parseImportOption(name, text, invalidPayload);
    for (const [member, value] of Object.entries(part)) {
      if (given[member] === undefined || isDeepStrictEqual(given[member], value)) continue;
      throw invalidPayload(reason('query_and_form_differ', { name }));
    }
    parsed = { ...parsed, ...part };
  }
  parsed = { ...implied, ...replacing(profile, parsed) };
  const why = contradiction(parsed) ?? misfit(parsed, format);
  if (why !== null) throw (parts.size > 0 ? invalidPayload : invalidQuery)(why);
  const isTried = parsed.mode === 'mirror' && parsed.maxDeletes === undefined;
  return isTried ? { ...parsed, dryRun: true } : parsed;
}
