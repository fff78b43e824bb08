/** Asks for another name of a collection or a field, and says what has to follow outside of the App. */
import { useState } from 'react';
import { notify } from '../shell/notify.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { pathOf } from './change.ts';
import { NameDialog } from './name-dialog.tsx';
import { useChange } from './use-change.ts';

export interface RenameDialogProps {
  /** The collection, and its field where that is renamed. */
  readonly subject: { readonly collection: string; readonly field?: string };
  /** Names that others have. */
  readonly taken: ReadonlySet<string>;
  /** Goes to the screen of the new name. */
  readonly follow: (name: string) => Promise<void>;
  readonly onClose: () => void;
}

export function RenameDialog({ subject, taken, follow, onClose }: RenameDialogProps) {
  const translate = useTranslate();
  const { collection, field } = subject;
  const name = field ?? collection;
  const [typed, setTyped] = useState(name);
  const work = useChange(
    () => notify('model.renamed', { type: 'success', messageArgs: { name, to: typed } }),
    { leave: () => follow(typed), ...(field === undefined && { collection }) },
  );
  const submit = () => {
    const path = field === undefined ? ['collections', collection] : ['fields', collection, field];
    const body = field === undefined ? { collection: typed } : { field: typed };
    work.run([{ method: 'POST', path: pathOf(...path, 'rename'), body }]);
  };
  return (
    <NameDialog
      title={translate('model.renameTitle', { name })}
      text={translate('model.renameText')}
      label={translate('model.newName')}
      action={translate('model.rename')}
      name={typed}
      onName={setTyped}
      before={name}
      taken={taken}
      work={work}
      onSubmit={submit}
      onClose={onClose}
    />
  );
}
