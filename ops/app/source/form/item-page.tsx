/** The screen of an item: its form, for a new one, for one that exists, or for that of a singleton. */
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useParams } from 'react-router-dom';
import { SluiceError } from '../../../client/source/index.ts';
import { lastListPath } from '../data/last-list.ts';
import { useLiveItems } from '../data/live.ts';
import { collectionsQuery, fieldsQuery, relationsQuery, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { useTemplate } from '../display/representation.ts';
import { fillTemplate } from '../display/template.ts';
import type { Stored } from '../draft/use-draft.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { collectionName } from '../translation/names.ts';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { initialItem } from './initial-item.ts';
import { ItemForm } from './item-form.tsx';
import { formFields, storedQuery } from './item-query.ts';

/** What was read is still shown when it is deleted, or taken from the caller's sight. */
function isGone(error: unknown): boolean {
  return error instanceof SluiceError && (error.status === 403 || error.status === 404);
}

export function Component() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { collection: name = '', key = null } = useParams();
  const rights = useRights();
  const collections = useQuery(collectionsQuery);
  const collection = collections.data?.get(name);
  const fields = useQuery(fieldsQuery(name));
  const relations = useQuery(relationsQuery);
  const template = useTemplate(name);
  const singleton = collection?.meta?.singleton === true;
  const isNew = key === NEW_ITEM && !singleton;
  const read = useMemo(() => formFields(fields.data ?? [], rights), [fields.data, rights]);
  const item = useQuery({
    ...storedQuery(name, singleton ? null : key, read),
    // When the schema has other fields it is read anew; what is known of the same item stays meanwhile.
    placeholderData: (before, query) =>
      query?.queryKey[1] === name && query.queryKey[3] === (singleton ? null : key)
        ? before
        : undefined,
    enabled:
      collection !== undefined &&
      fields.data !== undefined &&
      (singleton || (key !== null && !isNew)),
  });
  useLiveItems(name, {
    // One that cannot be read again for once is still heard of.
    enabled: !isNew && item.data !== undefined && !isGone(item.error),
    ...(!singleton && key !== null && { item: key }),
  });
  const fresh = useMemo((): Stored => {
    const presets = rights[name]?.create?.presets;
    return { item: initialItem(fields.data ?? [], presets), tag: null };
  }, [fields.data, rights, name]);
  // What is known stays on the screen, with what was typed, whatever a later question comes to.
  const failed = [collections, fields, relations, item].find(
    ({ error, data }) => error !== null && data === undefined,
  );
  if (failed !== undefined) return <Failure error={failed.error} retry={() => failed.refetch()} />;
  if (isNew && collection !== undefined && !may(rights, name, 'create')) {
    return (
      <>
        <PageHeader title={collectionName(collection, locale)} back={lastListPath(name)} passing />
        <Message icon="lock" title={translate('form.notCreatable')}>
          {translate('form.notCreatableHelp')}
        </Message>
      </>
    );
  }
  const stored = isNew ? fresh : item.data;
  if (!collection || !fields.data || !relations.data || stored === undefined) return <Loading />;
  const own = collectionName(collection, locale);
  const called = fillTemplate(template, stored.item) || key;
  const title = singleton
    ? own
    : isNew
      ? translate('form.newTitle', { name: own })
      : `${own}: ${called}`;
  return (
    <ItemForm
      key={`${name}/${key}`}
      title={title}
      kind={isNew ? 'new' : singleton ? 'singleton' : 'stored'}
      collection={collection}
      fields={fields.data}
      stored={stored}
      isGone={!isNew && isGone(item.error)}
      itemKey={isNew || singleton ? null : key}
      read={read}
      {...(!singleton && { back: lastListPath(name) })}
    />
  );
}
