/** Where files are dropped, or chosen by a button. */
import Box from '@mui/material/Box';
import type { SxProps } from '@mui/material/styles';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';

export interface DropAreaProps {
  /** Of the input, which only machines see. */
  readonly label: string;
  readonly accept?: string | undefined;
  readonly multiple?: boolean;
  readonly onFiles: (files: readonly File[]) => void;
  readonly sx: SxProps;
  /** The colour behind it while nothing is dragged over it. */
  readonly background?: string;
  /** @param choose lets one choose files */
  readonly children: (choose: () => void) => ReactNode;
}

export function DropArea(props: DropAreaProps) {
  const { label, accept, multiple = false, onFiles, sx, background = 'transparent' } = props;
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const take = (files: FileList | null) => {
    const list = [...(files ?? [])];
    if (list.length > 0) onFiles(multiple ? list : list.slice(0, 1));
  };
  return (
    <Box
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event: DragEvent) => {
        event.preventDefault();
        setOver(false);
        take(event.dataTransfer.files);
      }}
      sx={{
        ...{ border: '1px dashed', borderColor: over ? 'primary.main' : 'divider' },
        bgcolor: over ? 'action.selected' : background,
        ...sx,
      }}
    >
      {props.children(() => input.current?.click())}
      <input
        ref={input}
        type="file"
        hidden
        tabIndex={-1}
        aria-label={label}
        multiple={multiple}
        accept={accept}
        onChange={({ target }) => {
          take(target.files);
          target.value = '';
        }}
      />
    </Box>
  );
}
