/** Somebody else has changed a part of the schema meanwhile: both sides are shown, and one chooses. */
import { useTranslate } from 'ra-core';
import type { Item } from '../data/schema-types.ts';
import { ConflictDialog } from '../form/conflict-dialog.tsx';
import { humanize } from '../translation/names.ts';
import { valueText } from './snapshot-diff.ts';

export interface SchemaConflictProps {
  /** The members by their names, as they were, as one has them, and as they are stored. */
  readonly base: Item;
  readonly mine: Item;
  readonly theirs: Item;
  readonly busy: boolean;
  /** Goes on from what is stored now, with these members as one has them. */
  readonly onKeep: (names: ReadonlySet<string>) => void;
  readonly onClose: () => void;
}

export function SchemaConflict({ onKeep, ...conflict }: SchemaConflictProps) {
  const translate = useTranslate();
  const nameOf = (path: string) => {
    const name = path.split('.').at(-1) ?? path;
    return translate(`model.member.${name}`, { _: humanize(name) });
  };
  const say = (_: string, value: unknown) =>
    typeof value === 'boolean' ? translate(value ? 'list.yes' : 'list.no') : valueText(value);
  return (
    <ConflictDialog
      {...conflict}
      words={{ nameOf, say }}
      onSave={(resolved) => onKeep(new Set(Object.keys(resolved)))}
    />
  );
}
