/** What a rule says, as sentences in the language of the App. */
import { useMemo } from 'react';
import { useCollections } from '../data/queries.ts';
import { namesIn } from '../filter/phrase.ts';
import { PieceWords } from '../filter/piece-words.tsx';
import { useTarget } from '../filter/use-target.ts';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import type { Action } from './access-types.ts';
import type { Rule } from './permission-rules.ts';
import { sentencesOf } from './sentence.ts';

export interface RuleSentencesProps {
  readonly collection: string;
  readonly action: Action;
  readonly rule: Rule;
}

export function RuleSentences({ collection, action, rule }: RuleSentencesProps) {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const known = useCollections().get(collection);
  const names = useMemo(
    () => [...namesIn(rule.permissions), ...namesIn(rule.validation)],
    [rule.permissions, rule.validation],
  );
  const { fields, relations } = useTarget(collection, names);
  const sentences = sentencesOf(collection, action, rule, {
    ...{ translate, locale, relations },
    label: known === undefined ? collection : collectionName(known, locale),
    fieldsOf: (name) => fields.get(name) ?? [],
  });
  return sentences.map((pieces, index) => (
    <span key={JSON.stringify(pieces)}>
      {index > 0 && ' '}
      <PieceWords pieces={pieces} />
    </span>
  ));
}
