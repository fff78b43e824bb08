/** The fields of a collection, in the order of its form. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useParams } from 'react-router-dom';
import { collectionsQuery, relationsQuery } from '../data/queries.ts';
import { listPath } from '../data/route-of.ts';
import type { Field } from '../data/schema-types.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { Message } from '../shell/message.tsx';
import { NotFound } from '../shell/not-found.tsx';
import { notify } from '../shell/notify.ts';
import { PageHeader } from '../shell/page-header.tsx';
import { SortableList } from '../shell/sortable-list.tsx';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { pathOf } from './change.ts';
import { ChangeState } from './change-state.tsx';
import { isSystem } from './collection-rows.ts';
import { nameOf } from './collection-specs.ts';
import { CollectionTabs } from './collection-tabs.tsx';
import { FieldRow } from './field-row.tsx';
import { groupOf, membersOf, moved, orderPatches } from './field-sequence.ts';
import { useFieldsWithIndexes } from './index-state.tsx';
import { COLLECTIONS, newFieldPath, newRelationPath } from './route.ts';
import { useChange } from './use-change.ts';

const LIST = { listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1 } as const;

function FieldList({ collection, fields }: { collection: string; fields: readonly Field[] }) {
  const translate = useTranslate();
  const relations = useQuery(relationsQuery).data ?? [];
  // As they will stand while that is being saved.
  const [wanted, setWanted] = useState<readonly Field[] | null>(null);
  const work = useChange(() => notify('model.orderSaved', { type: 'success' }));
  const shown = work.isPending && wanted !== null ? wanted : fields;
  const move = (group: string | null, from: number, to: number) => {
    const next = moved(shown, group, from, to);
    const body = orderPatches(shown, next);
    if (body.length === 0) return;
    setWanted(next);
    work.run([{ method: 'PATCH', path: pathOf('fields', collection), body }]);
  };
  const list = (group: string | null) => {
    const members = membersOf(shown, group);
    const names = members.map(({ field }) => field);
    return (
      <SortableList
        keys={names}
        onMove={(from, to) => move(group, names.indexOf(from), names.indexOf(to))}
      >
        <Box
          component="ul"
          aria-label={group ?? translate('model.fields')}
          sx={{ ...LIST, ...(group !== null && { p: 1, pt: 0, paddingInlineStart: 4 }) }}
        >
          {members.map((field, place) => (
            <FieldRow
              key={field.field}
              field={field}
              relations={relations}
              isFirst={place === 0}
              isLast={place === members.length - 1}
              movable={!work.isPending && field.meta?.system !== true}
              onMove={(steps) => move(group, place, place + steps)}
            >
              {groupOf(field) && membersOf(shown, field.field).length > 0 && list(field.field)}
            </FieldRow>
          ))}
        </Box>
      </SortableList>
    );
  };
  return (
    <Box sx={{ display: 'grid', gap: 2 }}>
      {work.error !== null && <ChangeState work={work} />}
      {list(null)}
    </Box>
  );
}

export function Component() {
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const { collection: name = '' } = useParams();
  const collections = useQuery(collectionsQuery);
  const fields = useFieldsWithIndexes(name);
  if (collections.isPending || fields.isLoading) return <Loading />;
  if (collections.isError || fields.isError) {
    const retry = () => Promise.all([collections.refetch(), fields.refetch()]);
    return <Failure error={collections.error ?? fields.error} retry={retry} />;
  }
  const collection = collections.data.get(name);
  if (collection === undefined) return <NotFound />;
  const list = fields.data ?? [];
  return (
    <>
      <PageHeader
        title={nameOf(collections.data, name, locale)}
        back={COLLECTIONS}
        actions={
          <>
            {!isSystem(collection) && (
              <Button component={Link} to={listPath(name)} startIcon={<Icon name="list" />}>
                {translate('model.showItems')}
              </Button>
            )}
            <Button
              variant="outlined"
              component={Link}
              to={newRelationPath(name)}
              startIcon={<Icon name="link" />}
            >
              {translate('model.createRelation')}
            </Button>
            <Button
              variant="contained"
              component={Link}
              to={newFieldPath(name)}
              startIcon={<Icon name="add" />}
            >
              {translate('model.createField')}
            </Button>
          </>
        }
      />
      {!isSystem(collection) && <CollectionTabs collection={name} />}
      <Box sx={{ p: { xs: 1.5, md: 3 }, maxWidth: 920 }}>
        {list.length === 0 ? (
          <Message icon="view_column" title={translate('model.noFields')} />
        ) : (
          <FieldList key={name} collection={name} fields={list} />
        )}
      </Box>
    </>
  );
}
