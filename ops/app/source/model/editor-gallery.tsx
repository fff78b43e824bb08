/** The choice of the editor that a new field has in forms, by pictures of them. */
import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { visuallyHidden } from '@mui/utils';
import { useDeferredValue, useId, useState } from 'react';
import { Link } from 'react-router-dom';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import { EditorPicture } from './editor-pictures.tsx';
import { EDITORS, type Editor } from './editors.ts';
import { newRelationPath } from './route.ts';

export interface EditorGalleryProps {
  readonly collection: string;
  readonly type: string;
  /** The interface that is chosen. */
  readonly shown: unknown;
  readonly onChoose: (editor: Editor) => void;
}

const FOCUS = {
  outline: ({ palette }: { palette: { primary: { main: string } } }) =>
    `2px solid ${palette.primary.main}`,
  outlineOffset: 1,
};

export function EditorGallery({ collection, type, shown, onChoose }: EditorGalleryProps) {
  const translate = useTranslate();
  const id = useId();
  const [typed, setTyped] = useState('');
  const search = useDeferredValue(typed.trim().toLowerCase());
  const chosen = EDITORS.find((editor) => editor.type === type && editor.shown === shown);
  const found = EDITORS.filter(({ name }) =>
    [translate(`editor.name.${name}`), translate(`editor.help.${name}`)].some((text) =>
      text.toLowerCase().includes(search),
    ),
  );
  return (
    <Part title={translate('editor.title')} help={translate('editor.titleHelp')}>
      <TextField
        type="search"
        label={translate('editor.search')}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        onKeyDown={(event) => {
          // It filters, and sends no form.
          if (event.key === 'Enter') event.preventDefault();
        }}
        sx={{ maxWidth: 320 }}
      />
      <Box
        role="radiogroup"
        aria-label={translate('editor.title')}
        sx={{
          ...{ display: 'grid', gap: 1, maxHeight: 316, overflowY: 'auto', p: 0.5, m: -0.5 },
          gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 168px), 1fr))',
        }}
      >
        {found.map((editor) => {
          const { name } = editor;
          return (
            <Box
              key={name}
              component="label"
              sx={{
                ...{
                  display: 'grid',
                  justifyItems: 'start',
                  alignContent: 'start',
                  gap: 0.25,
                  p: 1.25,
                },
                ...{ border: 1, borderRadius: 1, cursor: 'pointer', position: 'relative' },
                borderColor: name === chosen?.name ? 'primary.main' : 'divider',
                bgcolor: name === chosen?.name ? 'action.selected' : 'transparent',
                '&:hover': { borderColor: 'primary.main' },
                '&:has(input:focus-visible)': FOCUS,
              }}
            >
              <input
                type="radio"
                name={id}
                value={name}
                checked={name === chosen?.name}
                onChange={() => onChoose(editor)}
                aria-labelledby={`${id}-${name}`}
                aria-describedby={`${id}-${name}-help`}
                style={visuallyHidden}
              />
              <EditorPicture name={name} />
              <Typography id={`${id}-${name}`} sx={{ fontWeight: 600, fontSize: 14 }}>
                {translate(`editor.name.${name}`)}
              </Typography>
              <Typography id={`${id}-${name}-help`} variant="caption" color="text.secondary">
                {translate(`editor.help.${name}`)}
              </Typography>
            </Box>
          );
        })}
      </Box>
      {found.length === 0 && <Typography>{translate('editor.none')}</Typography>}
      <Typography variant="body2" color="text.secondary">
        {translate('editor.relationHelp')}{' '}
        <Link to={newRelationPath(collection)}>{translate('editor.relation')}</Link>
      </Typography>
    </Part>
  );
}
