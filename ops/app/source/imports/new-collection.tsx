/** The fields of a collection that the import has made, or would make. */

import { isItem } from '../data/values.ts';
import { Facts } from '../shell/facts.tsx';
import { Part } from '../shell/part.tsx';
import { humanize } from '../translation/names.ts';
import { useTranslate } from '../translation/use-translate.ts';

export function NewCollection({ result }: { readonly result: unknown }) {
  const translate = useTranslate();
  const fields = isItem(result) && Array.isArray(result.fields) ? result.fields.filter(isItem) : [];
  if (fields.length === 0) return null;
  const facts = fields.map(({ field, type }) => ({
    name: String(field),
    value: translate(`imports.type.${type}`, { _: humanize(String(type)) }),
  }));
  return (
    <Part title={translate('imports.newFields')}>
      <Facts facts={facts} />
    </Part>
  );
}
