/** A text for programs, with a button that copies it. */
import Box from '@mui/material/Box';
import { CopyButton } from '../shell/copy-button.tsx';
import { useTranslate } from '../translation/use-translate.ts';

export interface CodeTextProps {
  /** What it is, such as `curl`. */
  readonly label: string;
  readonly text: string;
}

export function CodeText({ label, text }: CodeTextProps) {
  const translate = useTranslate();
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
      <CopyButton
        text={text}
        label={translate('share.copy', { language: label })}
        notice="share.copied"
        sx={{ justifySelf: 'start' }}
      />
    </Box>
  );
}
