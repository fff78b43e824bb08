/** A button that copies a text. Pages without TLS have no clipboard: there the user selects the text. */
import Button, { type ButtonProps } from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Tooltip from '@mui/material/Tooltip';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { notify } from './notify.ts';

export interface CopyButtonProps {
  readonly text: string;
  /** The label of the button. */
  readonly label: string;
  /** The key of the notice that the text is copied. */
  readonly notice: string;
}

/** Copies the text, and says so; null without a clipboard. */
function useCopy({ text, notice }: CopyButtonProps): (() => Promise<void>) | null {
  const clipboard: Clipboard | undefined = navigator.clipboard;
  if (clipboard === undefined) return null;
  return async () => {
    await clipboard.writeText(text);
    notify(notice, { type: 'success' });
  };
}

export function CopyButton(props: CopyButtonProps & Pick<ButtonProps, 'size' | 'sx'>) {
  const { text, label, notice, ...more } = props;
  const copy = useCopy({ text, label, notice });
  if (copy === null) return null;
  return (
    <Button {...more} startIcon={<Icon name="content_copy" />} onClick={copy}>
      {label}
    </Button>
  );
}

/** The same as an icon, with a tip. */
export function CopyIcon({ tip, ...props }: CopyButtonProps & { readonly tip: string }) {
  const translate = useTranslate();
  const copy = useCopy(props);
  if (copy === null) return null;
  return (
    <Tooltip title={translate(tip)}>
      <IconButton aria-label={props.label} onClick={copy}>
        <Icon name="content_copy" fontSize="small" />
      </IconButton>
    </Tooltip>
  );
}
