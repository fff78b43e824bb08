/** Small pictures of what people see in forms: drawn in lines, in the colours of the text and the project. */
import Box from '@mui/material/Box';

interface Drawing {
  /** Lines in the colour of the text. */
  readonly lines: string;
  /** Lines in the colour of the project. */
  readonly accent?: string;
}

const BOX = 'M4 12h88v24H4z';
const AREA = 'M4 4h88v40H4z';

export const DRAWINGS = {
  line: { lines: `${BOX} M18 24h30`, accent: 'M12 18v12' },
  paragraph: { lines: `${AREA} M12 13h72 M12 22h72 M12 31h40`, accent: 'M56 27v8' },
  markdown: { lines: `${AREA} M12 27h72 M12 35h50`, accent: 'M12 19v-8l6 5 6-5v8' },
  html: {
    lines: `${AREA} M4 16h88 M12 25h72 M12 34h44`,
    accent: 'M12 8v5 M12 8h4 M24 8l-3 5 M32 13h5',
  },
  code: {
    lines: `${AREA} M44 14h30 M44 24h20 M44 34h34`,
    accent: 'M20 16l-8 8 8 8 M28 16l8 8-8 8',
  },
  suggestions: { lines: `M4 4h88v14H4z M12 11h24 M4 22h88v22H4z M12 36h36`, accent: 'M12 28h50' },
  secret: { lines: BOX, accent: 'M14 24h.1 M24 24h.1 M34 24h.1 M44 24h.1 M54 24h.1' },
  dropdown: { lines: `${BOX} M12 24h36`, accent: 'M74 21l5 5 5-5' },
  radio: {
    lines:
      'M16 14m-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0 M16 34m-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0 M30 14h40 M30 34h48',
    accent: 'M16 14m-2 0a2 2 0 1 0 4 0a2 2 0 1 0 -4 0',
  },
  checkboxes: {
    lines: 'M10 8h12v12H10z M10 28h12v12H10z M30 14h40 M30 34h48',
    accent: 'M12 14l3 3 6-7 M12 34l3 3 6-7',
  },
  multi: { lines: `${BOX} M74 21l5 5 5-5`, accent: 'M10 18h22v12H10z M38 18h26v12H38z' },
  tags: { lines: 'M4 12h88v24H4z', accent: 'M10 18h20l6 6-6 6H10z M44 18h20l6 6-6 6H44z' },
  switch: {
    lines: 'M58 24h28',
    accent:
      'M18 15h22a9 9 0 0 1 0 18H18a9 9 0 0 1 0 -18z M40 24m-5 0a5 5 0 1 0 10 0a5 5 0 1 0 -10 0',
  },
  colour: { lines: `${BOX} M40 24h34`, accent: 'M14 17h14v14H14z' },
  icon: {
    lines: 'M36 6h24v36H36z M8 12h18v24H8z M70 12h18v24H70z',
    accent: 'M48 15l3 6 6 1-4 4 1 6-6-3-6 3 1-6-4-4 6-1z',
  },
  number: {
    lines: `${BOX} M70 20l4-4 4 4 M70 28l4 4 4-4`,
    accent: 'M14 20l4-3v14 M26 18h8l-8 13h9',
  },
  decimal: { lines: BOX, accent: 'M14 20l4-3v14 M26 31h.1 M34 18h8l-8 13h9 M50 18h8v13h-8z' },
  slider: { lines: 'M6 24h84', accent: 'M40 24m-7 0a7 7 0 1 0 14 0a7 7 0 1 0 -14 0 M6 24h27' },
  date: {
    lines: 'M24 8h48v34H24z M24 18h48 M34 4v8 M62 4v8',
    accent: 'M32 25h6 M45 25h6 M58 25h6 M32 34h6',
  },
  moment: {
    lines: 'M10 8h40v34H10z M10 18h40 M20 4v8 M40 4v8 M18 26h6 M32 26h6',
    accent: 'M74 26m-13 0a13 13 0 1 0 26 0a13 13 0 1 0 -26 0 M74 18v8l5 4',
  },
  time: { lines: 'M48 24m-18 0a18 18 0 1 0 36 0a18 18 0 1 0 -36 0', accent: 'M48 12v12l8 5' },
  json: {
    lines: `${AREA} M40 16h20 M40 24h30 M40 32h16`,
    accent: 'M26 12q-6 0-6 6t-4 6q4 0 4 6t6 6',
  },
  bytes: {
    lines: AREA,
    accent: 'M14 14v8 M24 14h6v8h-6z M40 14v8 M14 28h6v8h-6z M30 28v8 M40 28h6v8h-6z',
  },
  point: {
    lines: `${AREA} M4 30l24-12 26 20 38-24`,
    accent: 'M48 30q-9-10-9-15a9 9 0 0 1 18 0q0 5-9 15z M48 15h.1',
  },
  group: { lines: 'M4 4h88v40H4z M4 16h88 M12 25h72v12H12z', accent: 'M12 8l4 4 4-4' },
  accordion: {
    lines: 'M4 4h88v10H4z M4 18h88v14H4z M4 36h88v8H4z',
    accent: 'M80 7l3 3 3-3 M12 25h40',
  },
  divider: { lines: 'M4 32h88', accent: 'M4 20h36' },
  notice: { lines: BOX, accent: 'M16 19v6 M16 29h.1 M26 24h52' },
  links: { lines: 'M4 12h40v24H4z M52 12h40v24H52z', accent: 'M12 24h24 M60 24h24' },
  m2o: {
    lines: 'M4 4h24v10H4z M4 19h24v10H4z M4 34h24v10H4z',
    accent: 'M28 9h20l14 15 M28 24h34 M28 39h20l14-15 M64 15h28v18H64z',
  },
  o2m: {
    lines: 'M68 4h24v10H68z M68 19h24v10H68z M68 34h24v10H68z',
    accent: 'M68 9H48L34 24 M68 24H34 M68 39H48L34 24 M4 15h28v18H4z',
  },
  m2m: {
    lines: 'M4 6h24v12H4z M4 30h24v12H4z M68 6h24v12H68z M68 30h24v12H68z',
    accent: 'M28 12h40 M28 12l40 24 M28 36l40-24 M28 36h40',
  },
  m2a: {
    lines: 'M68 4h24v10H68z M72 24m0 0l8 -7 8 7 -8 7z M80 39m-6 0a6 6 0 1 0 12 0a6 6 0 1 0 -12 0',
    accent: 'M4 15h28v18H4z M32 24h10 M42 24l26-15 M42 24h30 M42 24l32 15',
  },
  file: { lines: 'M28 4h28l14 12v28H28z M56 4v12h14', accent: 'M36 36l8-10 6 6 5-6 7 10z' },
  files: {
    lines: 'M8 10h24v28H8z M36 10h24v28H36z M64 10h24v28H64z',
    accent: 'M12 33l6-8 4 4 6 4 M40 33l6-8 4 4 6 4 M68 33l6-8 4 4 6 4',
  },
  translations: {
    lines: 'M4 8h42v32H4z M50 8h42v32H50z M12 30h26 M58 30h26',
    accent: 'M18 24l6-12 6 12 M20 20h8 M64 14h14 M71 11v3 M66 24q8-3 10-10',
  },
} as const satisfies Readonly<Record<string, Drawing>>;

export type DrawingName = keyof typeof DRAWINGS;

export function EditorPicture({ name }: { readonly name: DrawingName }) {
  const drawing: Drawing = DRAWINGS[name];
  const stroke = {
    fill: 'none',
    strokeWidth: 2,
    strokeLinecap: 'round',
    strokeLinejoin: 'round',
  } as const;
  return (
    <Box
      component="svg"
      viewBox="0 0 96 48"
      aria-hidden
      sx={{ width: 96, height: 48, flex: 'none', color: 'text.disabled' }}
    >
      <path d={drawing.lines} stroke="currentColor" {...stroke} />
      {drawing.accent !== undefined && (
        <Box
          component="path"
          d={drawing.accent}
          sx={{ stroke: ({ palette }) => palette.primary.main }}
          {...stroke}
        />
      )}
    </Box>
  );
}
