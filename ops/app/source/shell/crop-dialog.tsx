/** Lets one choose the part of a picture that is kept: moved and zoomed by pointer or keyboard. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Slider from '@mui/material/Slider';
import Typography from '@mui/material/Typography';
import { type ReactNode, useEffect, useId, useState } from 'react';
import Cropper from 'react-easy-crop';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { Choice } from './choice.tsx';
import { type Cut, cropPicture } from './crop-picture.ts';
import { FailureAlert } from './failure-alert.tsx';

/** A form of the part: its width divided by its height. */
export interface Ratio {
  readonly text: string;
  readonly ratio: number;
}

export interface CropDialogProps {
  readonly title: string;
  readonly content: File;
  /** The forms to choose from, besides that of the picture itself; a circle without any. */
  readonly ratios?: readonly Ratio[];
  /** The longest side of the result in pixels. */
  readonly longest?: number;
  readonly busy: boolean;
  readonly error: unknown;
  /** The buttons that use the part. */
  readonly actions: (use: (act: (part: File) => void) => void, busy: boolean) => ReactNode;
  readonly onClose: () => void;
}

const MOST = 5;
const MIDDLE = { x: 0, y: 0 };
const ORIGINAL = 'original';

/** An address of the content for this page. */
function useAddress(content: File): string | null {
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    const made = URL.createObjectURL(content);
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [content]);
  return address;
}

export default function CropDialog(props: CropDialogProps) {
  const { title, content, ratios, longest, busy, error, actions, onClose } = props;
  const translate = useTranslate();
  const id = useId();
  const address = useAddress(content);
  const [crop, setCrop] = useState(MIDDLE);
  const [zoom, setZoom] = useState(1);
  const [turn, setTurn] = useState(0);
  const [own, setOwn] = useState(1);
  const [chosen, setChosen] = useState(ORIGINAL);
  const [area, setArea] = useState<Cut['area'] | null>(null);
  const [cutting, setCutting] = useState(false);
  const [failure, setFailure] = useState<'unreadable' | 'uncut' | null>(null);
  const isRound = ratios === undefined;
  const ofPicture = turn % 180 === 0 ? own : 1 / own;
  const fixed = ratios?.find(({ text }) => text === chosen)?.ratio ?? ofPicture;
  const use = async (act: (part: File) => void) => {
    if (area === null) return;
    setCutting(true);
    setFailure(null);
    try {
      act(await cropPicture(content, { area, turn, ...(longest !== undefined && { longest }) }));
    } catch {
      setFailure('uncut');
    } finally {
      setCutting(false);
    }
  };
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} fullWidth maxWidth="sm">
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent sx={{ display: 'grid', gap: 2, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <Box
          sx={{
            ...{ position: 'relative', height: { xs: 260, sm: 340 }, borderRadius: 2 },
            ...{ overflow: 'hidden', bgcolor: '#111', direction: 'ltr' },
          }}
        >
          {address !== null && (
            <Cropper
              image={address}
              crop={crop}
              zoom={zoom}
              rotation={turn}
              maxZoom={MOST}
              aspect={isRound ? 1 : fixed}
              cropShape={isRound ? 'round' : 'rect'}
              showGrid={!isRound}
              cropperProps={{ role: 'group', 'aria-label': translate('shell.cropArea') }}
              mediaProps={{ alt: '', onError: () => setFailure('unreadable') }}
              onCropChange={setCrop}
              onZoomChange={setZoom}
              onCropComplete={(_, pixels) => setArea(pixels)}
              onMediaLoaded={({ naturalWidth, naturalHeight }) =>
                setOwn(naturalWidth / naturalHeight)
              }
            />
          )}
        </Box>
        {failure !== null && (
          <Alert severity="error" role="alert">
            {translate(`shell.${failure === 'uncut' ? 'cropFailed' : 'cropUnreadable'}`)}
          </Alert>
        )}
        <FailureAlert error={error} />
        <Box sx={{ display: 'flex', alignItems: 'center', gap: 2 }}>
          <Typography id={`${id}-zoom`} variant="body2">
            {translate('shell.cropZoom')}
          </Typography>
          <Slider
            size="small"
            value={zoom}
            min={1}
            max={MOST}
            step={0.05}
            aria-labelledby={`${id}-zoom`}
            onChange={(_, value) => setZoom(Number(value))}
          />
          <Button
            color="inherit"
            startIcon={<Icon name="rotate_right" />}
            onClick={() => setTurn((turn + 90) % 360)}
            sx={{ flexShrink: 0 }}
          >
            {translate('shell.cropTurn')}
          </Button>
        </Box>
        {ratios !== undefined && (
          <Choice
            label={translate('shell.cropForm')}
            value={chosen}
            options={[
              [ORIGINAL, translate('shell.cropOriginal')],
              ...ratios.map(({ text }) => [text, text] as const),
            ]}
            onChange={setChosen}
          />
        )}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose}>{translate('shell.cancel')}</Button>
        {actions(
          (act) => void use(act),
          busy || cutting || area === null || failure === 'unreadable',
        )}
      </DialogActions>
    </Dialog>
  );
}
