/** Where the file of a snapshot is dropped or chosen. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { type DragEvent, useRef, useState } from 'react';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface SnapshotFileProps {
  readonly name: string | null;
  readonly busy: boolean;
  readonly onFile: (file: File) => void;
}

export function SnapshotFile({ name, busy, onFile }: SnapshotFileProps) {
  const translate = useTranslate();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const [file] = files ?? [];
    if (file !== undefined) onFile(file);
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take(event.dataTransfer.files);
  };
  return (
    <Box
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      sx={{
        ...{ border: '1px dashed', borderRadius: 1, p: 3, textAlign: 'center' },
        borderColor: over ? 'primary.main' : 'divider',
        bgcolor: over ? 'action.selected' : 'transparent',
      }}
    >
      <Typography color="textSecondary" sx={{ mb: 1 }}>
        {name ?? translate('model.dropSnapshot')}
      </Typography>
      <Button
        variant="outlined"
        startIcon={<Icon name="upload" />}
        loading={busy}
        loadingPosition="start"
        onClick={() => input.current?.click()}
      >
        {translate('model.chooseSnapshot')}
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        accept=".json,.yaml,.yml"
        aria-label={translate('model.chooseSnapshot')}
        onChange={({ target }) => {
          take(target.files);
          target.value = '';
        }}
      />
    </Box>
  );
}
