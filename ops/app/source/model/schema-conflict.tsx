/** Another person has changed a part of the schema meanwhile: both sides are shown, and one chooses. */

import { ConflictDialog } from '../draft/conflict-dialog.tsx';
import type { Draft, Stored } from '../draft/use-draft.ts';
import { humanize } from '../translation/names.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { valueText } from './snapshot-diff.ts';
import type { useSchemaSave } from './use-schema-save.ts';

export interface SchemaConflictProps<S extends Stored<object>> {
  readonly draft: Draft<S>;
  readonly save: ReturnType<typeof useSchemaSave<S>>;
}

export function SchemaConflict<S extends Stored<object>>({ draft, save }: SchemaConflictProps<S>) {
  const translate = useTranslate();
  if (save.conflict === null) return null;
  const nameOf = (path: string) => {
    const name = path.split('.').at(-1) ?? path;
    return translate(`model.member.${name}`, { _: humanize(name) });
  };
  const say = (_: string, value: unknown) =>
    typeof value === 'boolean' ? translate(value ? 'list.yes' : 'list.no') : valueText(value);
  const close = () => save.setConflict(null);
  return (
    <ConflictDialog
      words={{ nameOf, say }}
      draft={draft}
      theirs={save.conflict}
      busy={save.work.isPending}
      onSave={(sending) => {
        // How far the change is stands on the screen below.
        close();
        save.send(sending);
      }}
      onClose={close}
    />
  );
}
