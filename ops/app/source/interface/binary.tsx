/** Bytes: how many there are, to be downloaded, and to be replaced by those of a file. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useRef } from 'react';
import { isItem } from '../data/values.ts';
import { notify } from '../shell/notify.ts';
import { saveAs } from '../shell/save-as.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ControlFrame } from './control-frame.tsx';
import type { InterfaceProps } from './interface.ts';

/** What one field takes in a form; larger things are files. */
const LIMIT = 262_144;

function bytesOf(value: unknown): Uint8Array<ArrayBuffer> | null {
  if (!isItem(value) || !Array.isArray(value.data)) return null;
  return Uint8Array.from(value.data, Number);
}

export function BinaryInterface(props: InterfaceProps) {
  const { value, onChange, readOnly, label, field } = props;
  const translate = useTranslate();
  const input = useRef<HTMLInputElement>(null);
  const bytes = bytesOf(value);
  const download = () => {
    if (bytes !== null) saveAs(new Blob([bytes]), `${field.field}.bin`);
  };
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > LIMIT) notify('interface.tooManyBytes', { type: 'error' });
    else onChange({ type: 'Buffer', data: [...new Uint8Array(await file.arrayBuffer())] });
  };
  return (
    <ControlFrame {...props}>
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1, flexWrap: 'wrap' }}>
        <Typography component="span" color="textSecondary" sx={{ flex: 1 }}>
          {bytes === null
            ? translate('interface.noBytes')
            : translate('interface.bytes', { smart_count: bytes.length })}
        </Typography>
        {bytes !== null && (
          <Button size="small" onClick={download}>
            {translate('file.download')}
          </Button>
        )}
        {!readOnly && (
          <>
            <Button size="small" onClick={() => input.current?.click()}>
              {translate('interface.chooseFile')}
            </Button>
            <input
              ref={input}
              type="file"
              hidden
              aria-label={`${label}: ${translate('interface.chooseFile')}`}
              onChange={({ target }) => void take(target.files?.[0])}
            />
          </>
        )}
        {!readOnly && bytes !== null && (
          <Button size="small" color="error" onClick={() => onChange(null)}>
            {translate('interface.clear')}
          </Button>
        )}
      </Box>
    </ControlFrame>
  );
}
