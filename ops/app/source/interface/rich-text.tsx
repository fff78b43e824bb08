/**
 * Formatted text, as Markdown or HTML: its source with buttons for what is needed most, and what it
 * looks like. The preview is cleaned, so that nothing in it runs or is loaded from elsewhere.
 */
import Box from '@mui/material/Box';
import IconButton from '@mui/material/IconButton';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Tooltip from '@mui/material/Tooltip';
import { useRef, useState } from 'react';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ControlFrame } from './control-frame.tsx';
import { FieldText } from './field-text.tsx';
import type { InterfaceProps } from './interface.ts';
import { preview } from './preview.ts';

interface Mark {
  readonly name: string;
  readonly icon: IconName;
  readonly before: string;
  readonly after: string;
}

const MARKDOWN: readonly Mark[] = [
  { name: 'bold', icon: 'format_bold', before: '**', after: '**' },
  { name: 'italic', icon: 'format_italic', before: '*', after: '*' },
  { name: 'heading', icon: 'title', before: '\n## ', after: '\n' },
  { name: 'list', icon: 'list', before: '\n- ', after: '' },
  { name: 'quote', icon: 'format_quote', before: '\n> ', after: '\n' },
  { name: 'link', icon: 'link', before: '[', after: '](https://)' },
  { name: 'code', icon: 'data_object', before: '`', after: '`' },
];

const HTML: readonly Mark[] = [
  { name: 'bold', icon: 'format_bold', before: '<strong>', after: '</strong>' },
  { name: 'italic', icon: 'format_italic', before: '<em>', after: '</em>' },
  { name: 'heading', icon: 'title', before: '<h2>', after: '</h2>' },
  { name: 'list', icon: 'list', before: '<ul>\n<li>', after: '</li>\n</ul>' },
  { name: 'quote', icon: 'format_quote', before: '<blockquote>', after: '</blockquote>' },
  { name: 'link', icon: 'link', before: '<a href="https://">', after: '</a>' },
  { name: 'code', icon: 'data_object', before: '<code>', after: '</code>' },
];

function Toolbar({
  marks,
  onMark,
}: {
  readonly marks: readonly Mark[];
  readonly onMark: (mark: Mark) => void;
}) {
  const translate = useTranslate();
  return marks.map((mark) => (
    <Tooltip key={mark.name} title={translate(`interface.${mark.name}`)}>
      <IconButton
        size="small"
        aria-label={translate(`interface.${mark.name}`)}
        onClick={() => onMark(mark)}
      >
        <Icon name={mark.icon} fontSize="small" />
      </IconButton>
    </Tooltip>
  ));
}

export function RichTextInterface(props: InterfaceProps) {
  const { field, label, value, onChange, readOnly } = props;
  const translate = useTranslate();
  const input = useRef<HTMLTextAreaElement>(null);
  const [shown, setShown] = useState(false);
  const isHtml = field.meta?.interface?.includes('html') === true;
  const text = value === null || value === undefined ? '' : String(value);
  const change = (next: string) =>
    onChange(next === '' && field.schema?.is_nullable !== false ? null : next);
  const mark = ({ before, after }: Mark) => {
    const area = input.current;
    const [from, to] = [area?.selectionStart ?? text.length, area?.selectionEnd ?? text.length];
    change(text.slice(0, from) + before + text.slice(from, to) + after + text.slice(to));
    requestAnimationFrame(() => {
      area?.focus();
      area?.setSelectionRange(from + before.length, to + before.length);
    });
  };
  return (
    <ControlFrame
      {...props}
      actions={
        <>
          {!shown && !readOnly && <Toolbar marks={isHtml ? HTML : MARKDOWN} onMark={mark} />}
          <ToggleButtonGroup
            exclusive
            size="small"
            aria-label={label}
            value={shown}
            onChange={(_, next: boolean | null) => next !== null && setShown(next)}
          >
            <ToggleButton value={false} sx={{ py: 0, textTransform: 'none' }}>
              {translate('interface.source')}
            </ToggleButton>
            <ToggleButton value={true} sx={{ py: 0, textTransform: 'none' }}>
              {translate('interface.preview')}
            </ToggleButton>
          </ToggleButtonGroup>
        </>
      }
    >
      {shown ? (
        <Box
          dir="auto"
          sx={{
            border: 1,
            borderColor: 'divider',
            borderRadius: 1,
            px: 2,
            minHeight: 120,
            overflowX: 'auto',
            '& img': { maxWidth: '100%' },
          }}
          ref={(place: HTMLElement | null) => {
            place?.replaceChildren(preview(text, isHtml));
          }}
        />
      ) : (
        <FieldText
          of={{ ...props, field: { ...field, meta: null } }}
          text={text}
          onText={change}
          inputRef={input}
          label={undefined}
          multiline
          minRows={6}
          maxRows={30}
          helperText={undefined}
          slotProps={{ htmlInput: { 'aria-label': label, dir: 'auto' } }}
        />
      )}
    </ControlFrame>
  );
}
