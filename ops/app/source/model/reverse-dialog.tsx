/** Asks for the name of a list on the other side of a relation, and creates it. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldsQuery } from '../data/queries.ts';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { NameDialog } from './name-dialog.tsx';
import { reverseChanges } from './relation-changes.ts';
import { useChange } from './use-change.ts';

export interface ReverseDialogProps {
  /** The field that refers to an item of the related collection. */
  readonly referring: { readonly collection: string; readonly field: string };
  readonly related: string;
  readonly onClose: () => void;
}

export function ReverseDialog({ referring, related, onClose }: ReverseDialogProps) {
  const translate = useTranslate();
  const fields = useQuery(fieldsQuery(related)).data;
  const [typed, setTyped] = useState(referring.collection);
  const work = useChange(() => {
    notify('model.reverseCreated', { type: 'success', messageArgs: { name: typed, related } });
    onClose();
  });
  // A list that has no metadata has the name of the collection, and gives way.
  const taken = (fields ?? []).filter(({ meta, schema }) => meta !== null || schema !== null);
  return (
    <NameDialog
      title={translate('model.reverseTitle', { related })}
      text={translate('model.reverseText', { collection: referring.collection, related })}
      label={translate('model.member.reverse')}
      action={translate('model.create')}
      name={typed}
      onName={setTyped}
      before={null}
      taken={new Set(taken.map(({ field }) => field))}
      work={work}
      onSubmit={() => work.run(reverseChanges(referring, related, typed))}
      onClose={onClose}
    />
  );
}
