/** Permissions as sentences: what may be done with which fields of which items, and what must hold. */
import { relationOf } from '../data/relation-of.ts';
import type { Filter, Item } from '../data/schema-types.ts';
import { type Names, phraseOf } from '../filter/phrase.ts';
import { fill, nameList, type Pieces, phrasePieces, type Translate } from '../filter/pieces.ts';
import { fieldName } from '../translation/names.ts';
import type { Action } from './access-types.ts';
import type { Rule } from './permission-rules.ts';

export interface SentenceContext extends Names {
  readonly translate: Translate;
  /** The name of the collection. */
  readonly label: string;
}

function condition(
  collection: string,
  filter: Filter | null,
  context: SentenceContext,
): Pieces | null {
  const phrase = phraseOf(collection, filter, context);
  return phrase === null ? null : phrasePieces(phrase, context.translate);
}

function allowed(collection: string, action: Action, rule: Rule, context: SentenceContext): Pieces {
  const { translate, locale, label, fieldsOf } = context;
  const where = action === 'create' ? null : condition(collection, rule.permissions, context);
  const place = { collection: [{ name: label }], condition: where ?? [] };
  const items = action === 'create' ? '' : where === null ? '_all' : '_where';
  if (action === 'delete') return fill(translate, `sentence.delete${items}`, place);
  const known = fieldsOf(collection);
  const names = rule.fields.map((name) => {
    const field = known.find((one) => one.field === name);
    return field === undefined ? name : fieldName(field, locale);
  });
  const extent = rule.fields.includes('*') ? 'all' : names.length === 0 ? 'none' : 'some';
  const fields = nameList(names, locale);
  return fill(translate, `sentence.${action}_${extent}${items}`, { ...place, fields });
}

function preset(
  collection: string,
  action: Action,
  [name, value]: readonly [string, unknown],
  { translate, locale, fieldsOf, relations }: SentenceContext,
): Pieces {
  const field = fieldsOf(collection).find((known) => known.field === name);
  const relation = field === undefined ? null : relationOf(relations, field);
  const related = relation?.kind === 'm2o' ? relation.related : null;
  const compared = { field: field ?? null, type: field?.type ?? 'unknown', related };
  return fill(translate, `sentence.preset_${action === 'create' ? 'create' : 'update'}`, {
    field: [{ name: field === undefined ? name : fieldName(field, locale) }],
    value: [{ value, compared }],
  });
}

/** What a rule says, one sentence after the other. */
export function sentencesOf(
  collection: string,
  action: Action,
  rule: Rule,
  context: SentenceContext,
): readonly Pieces[] {
  const { translate } = context;
  const writes = action === 'create' || action === 'update';
  const valid = writes ? condition(collection, rule.validation, context) : null;
  const presets: Item = (writes ? rule.presets : null) ?? {};
  return [
    allowed(collection, action, rule, context),
    ...(valid === null ? [] : [fill(translate, 'sentence.valid', { condition: valid })]),
    ...Object.entries(presets).map((one) => preset(collection, action, one, context)),
  ];
}
