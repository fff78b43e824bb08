/** Asks below which item of a tree another one is moved. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import FormHelperText from '@mui/material/FormHelperText';
import { useId, useState } from 'react';
import { ItemPicker } from '../display/item-picker.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface MoveDialogProps {
  readonly collection: string;
  readonly name: string;
  /** The key of the parent so far; null at the top. */
  readonly parent: unknown;
  readonly onMove: (parent: unknown) => void;
  readonly onClose: () => void;
}

export function MoveDialog({ collection, name, parent, onMove, onClose }: MoveDialogProps) {
  const translate = useTranslate();
  const id = useId();
  const [chosen, setChosen] = useState(parent);
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="xs">
      <DialogTitle id={id}>{translate('views.moveTitle', { name })}</DialogTitle>
      <DialogContent>
        <ItemPicker
          collection={collection}
          value={chosen}
          onChange={setChosen}
          label={translate('views.newParent')}
          sx={{ mt: 1 }}
        />
        <FormHelperText>{translate('views.moveHelp')}</FormHelperText>
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate('shell.cancel')}</Button>
        <Button variant="contained" onClick={() => onMove(chosen)}>
          {translate('views.moveHere')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
