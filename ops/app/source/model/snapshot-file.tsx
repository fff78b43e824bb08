/** Where the file of a snapshot is dropped or chosen. */
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { DropArea } from '../shell/drop-area.tsx';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface SnapshotFileProps {
  readonly name: string | null;
  readonly busy: boolean;
  readonly onFile: (file: File) => void;
}

export function SnapshotFile({ name, busy, onFile }: SnapshotFileProps) {
  const translate = useTranslate();
  return (
    <DropArea
      label={translate('model.chooseSnapshot')}
      accept=".json,.yaml,.yml"
      onFiles={(files) => files.forEach(onFile)}
      sx={{ borderRadius: 1, p: 3, textAlign: 'center' }}
    >
      {(choose) => (
        <>
          <Typography color="textSecondary" sx={{ mb: 1 }}>
            {name ?? translate('model.dropSnapshot')}
          </Typography>
          <Button
            variant="outlined"
            startIcon={<Icon name="upload" />}
            loading={busy}
            loadingPosition="start"
            onClick={choose}
          >
            {translate('model.chooseSnapshot')}
          </Button>
        </>
      )}
    </DropArea>
  );
}
