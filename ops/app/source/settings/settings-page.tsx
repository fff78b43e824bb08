/** The settings of the project: its name and look, who may register, what is done with files. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import {
  collectionsQuery,
  fieldsQuery,
  projectQuery,
  relationsQuery,
  useRights,
} from '../data/queries.ts';
import { ItemForm } from '../form/item-form.tsx';
import { formFields, storedQuery } from '../form/item-query.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { settingFields } from './setting-fields.ts';

const SETTINGS = 'system_settings';

export function Component() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const queries = useQueryClient();
  const rights = useRights();
  const collections = useQuery(collectionsQuery);
  const relations = useQuery(relationsQuery);
  const fields = useQuery(fieldsQuery(SETTINGS));
  const known = fields.data;
  const shown = useMemo(() => {
    const text = (key: string) => translate(`settings.${key}`, { _: '' }) || null;
    return settingFields(known ?? [], locale, text);
  }, [known, locale, translate]);
  const read = useMemo(() => formFields(shown, rights), [shown, rights]);
  const stored = useQuery({
    ...storedQuery(SETTINGS, null, read),
    enabled: known !== undefined,
  });
  // The whole App shows some of them: name, colour, logo.
  const item = stored.data?.item;
  useEffect(() => {
    if (item !== undefined) void queries.invalidateQueries({ queryKey: projectQuery.queryKey });
  }, [item, queries]);
  const failed = [collections, relations, fields, stored].find(
    ({ error, data }) => error !== null && data === undefined,
  );
  if (failed !== undefined) return <Failure error={failed.error} retry={() => failed.refetch()} />;
  const collection = collections.data?.get(SETTINGS);
  if (collection === undefined || relations.data === undefined || stored.data === undefined) {
    return <Loading />;
  }
  return (
    <ItemForm
      title={translate('settings.title')}
      kind="singleton"
      collection={collection}
      fields={shown}
      stored={stored.data}
      isGone={false}
      itemKey={null}
      read={read}
    />
  );
}
