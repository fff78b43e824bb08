/** The files of a place, as a grid of tiles or as a table. */
import Box from '@mui/material/Box';
import type { Item } from '../data/schema-types.ts';
import { DataTable } from '../shell/data-table.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { FileRow, FileTile } from './file-tile.tsx';

export interface FileListProps {
  readonly title: string;
  readonly files: readonly Item[];
  readonly isTable: boolean;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

export function FileList({ title, files, isTable, selected, onSelect }: FileListProps) {
  const translate = useTranslate();
  const toggle = (id: string) => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const propsOf = (file: Item) => ({
    key: String(file.id),
    file,
    selected: selected.has(String(file.id)),
    onToggle: toggle,
  });
  if (isTable) {
    const wide = { sx: { display: { xs: 'none', md: 'table-cell' } } };
    return (
      <DataTable
        caption={title}
        heads={[
          translate('files.selectHead'),
          translate('files.name'),
          translate('files.type'),
          { text: translate('files.size'), align: 'right' },
          { text: translate('files.dimensions'), ...wide },
          { text: translate('files.added'), ...wide },
        ]}
      >
        {files.map((file) => {
          const { key, ...props } = propsOf(file);
          return <FileRow key={key} {...props} />;
        })}
      </DataTable>
    );
  }
  return (
    <Box
      component="ul"
      aria-label={title}
      sx={{
        ...{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: { xs: 1, sm: 2 } },
        gridTemplateColumns: {
          xs: 'repeat(2, minmax(0, 1fr))',
          sm: 'repeat(auto-fill, minmax(168px, 1fr))',
        },
      }}
    >
      {files.map((file) => {
        const { key, ...props } = propsOf(file);
        return <FileTile key={key} {...props} />;
      })}
    </Box>
  );
}
