/** Describes the error of a member of a body in a sentence, without repeating its value. */
import * as v from 'valibot';
import { type Reason, reason } from '#core/base/errors/reason.ts';

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  strict_object: 'an object',
  loose_object: 'an object',
  custom: 'an object',
};

/** The required form of a member, by the kind of the failed check. */
function demand(issue: v.BaseIssue<unknown>): string {
  const { type, requirement, expected } = issue;
  switch (type) {
    case 'max_length':
      return `must have up to ${requirement} characters`;
    case 'min_value':
    case 'max_value':
      return `must be ${expected}`;
    case 'integer':
    case 'safe_integer':
      return 'must be a whole number';
    case 'excludes':
      return 'must not contain a comma';
    case 'union':
      return 'must be a text, or a list of texts';
    case 'picklist':
      return `must be one of ${expected?.replace(/^\(|\)$/g, '').replaceAll(' | ', ', ')}`;
    default:
      return `must be ${KINDS[type] ?? expected}`;
  }
}

/** The reason of an issue: the member's path and the expected form. */
export function issueReason(issue: v.BaseIssue<unknown>): Reason {
  // Our own checks have their own messages.
  if (issue.type === 'check' || issue.type === 'raw_check') {
    return reason('body_check_failed', { message: issue.message });
  }
  const path = v.getDotPath(issue);
  if (path === null) return reason('body_invalid', { issue: demand(issue) });
  const isMember = KINDS[issue.type] === 'an object' && issue.kind === 'schema';
  if (isMember && issue.received === 'undefined') return reason('member_missing', { path });
  return reason('member_invalid', { path, issue: demand(issue) });
}
