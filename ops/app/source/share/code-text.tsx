/** A text for programs, with a button that copies it. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { notify } from '../shell/notify.ts';
import { Icon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface CodeTextProps {
  /** What it is, such as `curl`. */
  readonly label: string;
  readonly text: string;
}

export function CodeText({ label, text }: CodeTextProps) {
  const translate = useTranslate();
  // Pages without TLS have no clipboard; there one selects the text.
  const clipboard: Clipboard | undefined = navigator.clipboard;
  return (
    <Box sx={{ display: 'grid', gap: 1, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Box
        component="pre"
        dir="ltr"
        role="group"
        aria-label={label}
        sx={{
          m: 0,
          p: 1.5,
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
          bgcolor: 'background.default',
          color: 'text.primary',
          fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
          fontSize: 13,
          lineHeight: 1.55,
          textAlign: 'left',
          whiteSpace: 'pre-wrap',
          overflowWrap: 'anywhere',
        }}
      >
        {text.trimEnd()}
      </Box>
      {clipboard !== undefined && (
        <Button
          startIcon={<Icon name="content_copy" />}
          sx={{ justifySelf: 'start' }}
          onClick={async () => {
            await clipboard.writeText(text);
            notify('share.copied', { type: 'success' });
          }}
        >
          {translate('share.copy', { language: label })}
        </Button>
      )}
    </Box>
  );
}
