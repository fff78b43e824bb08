/** Chooses a folder, or none. */
import { useQuery } from '@tanstack/react-query';
import { NativeSelect } from '../shell/native-select.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { folderTree } from './folder-tree.ts';
import { foldersQuery } from './library-query.ts';

export interface FolderSelectProps {
  readonly label: string;
  readonly value: string | null;
  /** A folder that is not offered, nor are those in it. */
  readonly without?: string | null;
  readonly disabled?: boolean;
  readonly onChange: (folder: string | null) => void;
}

export function FolderSelect(props: FolderSelectProps) {
  const { label, value, without = null, disabled = false, onChange } = props;
  const translate = useTranslate();
  const tree = folderTree(useQuery(foldersQuery).data ?? [], without);
  const isKnown = value === null || tree.some(({ folder }) => folder.id === value);
  return (
    <NativeSelect
      label={label}
      value={value ?? ''}
      disabled={disabled}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    >
      <option value="">{translate('files.noFolder')}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {tree.map(({ folder, depth }) => (
        <option key={folder.id} value={folder.id}>
          {'\u2003'.repeat(depth)}
          {folder.name}
        </option>
      ))}
    </NativeSelect>
  );
}
