/** The data model as a picture: its collections, their fields, and the relations between them. */
import Alert from '@mui/material/Alert';
import Autocomplete from '@mui/material/Autocomplete';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Chip from '@mui/material/Chip';
import FormControlLabel from '@mui/material/FormControlLabel';
import IconButton from '@mui/material/IconButton';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import Switch from '@mui/material/Switch';
import TextField from '@mui/material/TextField';
import ToggleButton from '@mui/material/ToggleButton';
import ToggleButtonGroup from '@mui/material/ToggleButtonGroup';
import Tooltip from '@mui/material/Tooltip';
import { useQuery } from '@tanstack/react-query';
import { ReactFlowProvider } from '@xyflow/react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { allFieldsQuery, collectionsQuery, relationsQuery } from '../../data/queries.ts';
import { useStore } from '../../data/store.ts';
import { Failure } from '../../shell/failure.tsx';
import { Loading } from '../../shell/loading.tsx';
import { Message } from '../../shell/message.tsx';
import { PageHeader } from '../../shell/page-header.tsx';
import { useMenu } from '../../shell/use-menu.ts';
import { useParameters } from '../../shell/use-parameters.ts';
import { Icon } from '../../theme/icon.tsx';
import type { IconName } from '../../theme/icon-paths.ts';
import { useLocaleState, useTranslate } from '../../translation/use-translate.ts';
import { collectionPath, fieldPath, newRelationPath, settingsPath } from '../route.ts';
import { Canvas, type CanvasControl } from './canvas.tsx';
import { type Picture, type PictureEdge, pictureOf } from './graph.ts';
import { useLayout } from './layout.ts';
import { Legend } from './legend.tsx';
import { RelationTable } from './relation-table.tsx';
import type { Point } from './size.ts';

const NOWHERE: Readonly<Record<string, Point>> = {};

/** What the page of a new relation begins with when a line was drawn from a field to a collection. */
function beginOf(
  { cards }: Picture,
  from: string,
  field: string | null,
  related: string,
): Readonly<Record<string, string>> {
  const rowsOf = (name: string) => cards.find(({ collection }) => collection === name)?.rows ?? [];
  const row = rowsOf(from).find((one) => one.field === field);
  if (row?.isKey) return { kind: 'o2m', related };
  const key = rowsOf(related).find(({ isKey }) => isKey);
  const refers = row !== undefined && !row.isRelation && row.type === key?.type;
  return { kind: 'm2o', related, ...(refers && { field: row.field }) };
}

/** Everything that the picture shows, and how it is chosen. */
function usePicture(focus: string | null) {
  const [locale] = useLocaleState();
  const collections = useQuery(collectionsQuery);
  const fields = useQuery(allFieldsQuery);
  const relations = useQuery(relationsQuery);
  const [withSystem, setWithSystem] = useStore('model.system', false);
  const [withJunctions, setWithJunctions] = useStore('picture.junctions', false);
  const [allFields, setAllFields] = useStore('picture.allFields', false);
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const expand = useCallback(
    (name: string) => setExpanded((known) => new Set([...known, name])),
    [],
  );
  const known = collections.data;
  const [allOf, related] = [fields.data, relations.data];
  const picture = useMemo(() => {
    if (known === undefined || allOf === undefined || related === undefined) return null;
    const options = { locale, withSystem, withJunctions, allFields, expanded, focus };
    return pictureOf({ collections: known, fields: allOf, relations: related }, options);
  }, [known, allOf, related, locale, withSystem, withJunctions, allFields, expanded, focus]);
  return {
    picture,
    error: collections.error ?? fields.error ?? relations.error,
    retry: () => Promise.all([collections.refetch(), fields.refetch(), relations.refetch()]),
    expand,
    switches: [
      ['model.showSystem', withSystem, setWithSystem],
      ['picture.showJunctions', withJunctions, setWithJunctions],
      ['picture.showAllFields', allFields, setAllFields],
    ] as const,
  };
}

interface SearchProps {
  readonly picture: Picture;
  readonly onFound: (collection: string) => void;
}

function Search({ picture, onFound }: SearchProps) {
  const translate = useTranslate();
  const [typed, setTyped] = useState('');
  const options = useMemo(
    () =>
      picture.cards
        .map(({ collection, name }) => ({
          ...{ id: collection },
          label: name === collection ? name : `${name} (${collection})`,
        }))
        .toSorted((a, b) => a.label.localeCompare(b.label)),
    [picture],
  );
  return (
    <Autocomplete
      autoHighlight
      blurOnSelect={false}
      options={options}
      value={null}
      inputValue={typed}
      onInputChange={(_, text, reason) => setTyped(reason === 'input' ? text : '')}
      onChange={(_, option) => {
        if (option !== null) onFound(option.id);
      }}
      noOptionsText={translate('model.nothingFound')}
      sx={{ flex: '1 1 200px', maxWidth: 320 }}
      renderInput={(parameters) => <TextField {...parameters} label={translate('model.search')} />}
    />
  );
}

function ToolButton({ icon, text, act }: { icon: IconName; text: string; act: () => void }) {
  return (
    <Tooltip title={text}>
      <IconButton size="small" aria-label={text} onClick={act}>
        <Icon name={icon} />
      </IconButton>
    </Tooltip>
  );
}

export function Component() {
  const translate = useTranslate();
  const navigate = useNavigate();
  const { parameters, change } = useParameters();
  const focus = parameters.get('focus');
  const { picture, error, retry, expand, switches } = usePicture(focus);
  const [view, setView] = useStore<'picture' | 'list'>('picture.view', 'picture');
  const { layout, error: layoutError } = useLayout(view === 'picture' ? picture : null);
  const [stored, setStored] = useStore('picture.places', NOWHERE);
  // What is moved among neighbours is moved for this moment alone.
  const [brief, setBrief] = useState({ focus, places: NOWHERE });
  const moved = focus === null ? stored : brief.focus === focus ? brief.places : NOWHERE;
  const move = (name: string, place: Point) => {
    if (focus === null) setStored({ ...stored, [name]: place });
    else setBrief({ focus, places: { ...moved, [name]: place } });
  };
  const [relating, setRelating] = useState<string | null>(null);
  const [menuOf, setMenuOf] = useState('');
  const { anchor, open, close, choose } = useMenu();
  const openRef = useRef(open);
  openRef.current = open;
  const control = useRef<CanvasControl>(null);
  const actions = useMemo(
    () => ({
      expand,
      openMenu: (event: React.MouseEvent<HTMLElement>, name: string) => {
        setMenuOf(name);
        openRef.current(event);
      },
    }),
    [expand],
  );
  const titleOf = useCallback(
    ({ kind, from, to, through }: PictureEdge) =>
      [
        `${from.collection}.${from.field} › ${to.collection}.${to.field}`,
        translate(`picture.kindOf.${kind}`),
        ...(through === null ? [] : [`${translate('picture.through')}: ${through}`]),
      ].join('\n'),
    [translate],
  );
  const nameOf = (name: string | null) =>
    picture?.cards.find(({ collection }) => collection === name)?.name ?? name ?? '';
  const relate = (from: string, field: string | null, to: string) => {
    setRelating(null);
    if (picture !== null) void navigate(newRelationPath(from, beginOf(picture, from, field, to)));
  };
  const menu = (text: string, act: () => void) => (
    <MenuItem key={text} onClick={() => choose(act)}>
      {translate(text)}
    </MenuItem>
  );
  const failure = error ?? layoutError;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', minHeight: '100dvh' }}>
      <PageHeader
        title={translate('picture.title')}
        actions={
          <ToggleButtonGroup
            exclusive
            size="small"
            value={view}
            aria-label={translate('picture.view')}
            onChange={(_, next) => {
              if (next === 'picture' || next === 'list') setView(next);
            }}
          >
            <ToggleButton value="picture">{translate('picture.asPicture')}</ToggleButton>
            <ToggleButton value="list">{translate('picture.asList')}</ToggleButton>
          </ToggleButtonGroup>
        }
      />
      {failure ? (
        <Failure error={failure} retry={retry} />
      ) : picture === null || (view === 'picture' && layout === null) ? (
        <Loading />
      ) : picture.cards.length === 0 ? (
        <Message icon="schema" title={translate('model.none')}>
          {translate('model.noneHelp')}
        </Message>
      ) : (
        <>
          <Box
            sx={{
              ...{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', columnGap: 2 },
              ...{ rowGap: 0.5, px: { xs: 1.5, md: 3 }, py: 1.25 },
            }}
          >
            {view === 'picture' && (
              <Search picture={picture} onFound={(name) => control.current?.show(name)} />
            )}
            {switches.map(([text, isOn, set]) => (
              <FormControlLabel
                key={text}
                control={
                  <Switch size="small" checked={isOn} onChange={(_, checked) => set(checked)} />
                }
                label={translate(text)}
                slotProps={{ typography: { variant: 'body2' } }}
              />
            ))}
            {focus !== null && (
              <Chip
                label={translate('picture.focused', { name: nameOf(focus) })}
                onDelete={() => change({ focus: '' })}
                deleteIcon={<Icon name="close" titleAccess={translate('picture.showAll')} />}
              />
            )}
            {view === 'picture' && (
              <Box sx={{ display: 'flex', marginInlineStart: 'auto' }}>
                <ToolButton
                  icon="zoom_out"
                  text={translate('picture.zoomOut')}
                  act={() => control.current?.zoomOut()}
                />
                <ToolButton
                  icon="zoom_in"
                  text={translate('picture.zoomIn')}
                  act={() => control.current?.zoomIn()}
                />
                <ToolButton
                  icon="fit_screen"
                  text={translate('picture.fit')}
                  act={() => control.current?.fit()}
                />
                <ToolButton
                  icon="refresh"
                  text={translate('picture.again')}
                  act={() => {
                    setStored(NOWHERE);
                    setBrief({ focus, places: NOWHERE });
                    control.current?.fit();
                  }}
                />
              </Box>
            )}
          </Box>
          {relating !== null && view === 'picture' && (
            <Alert
              severity="info"
              action={
                <Button color="inherit" size="small" onClick={() => setRelating(null)}>
                  {translate('shell.cancel')}
                </Button>
              }
            >
              {translate('picture.relating', { name: nameOf(relating) })}
            </Alert>
          )}
          {view === 'list' || layout === null ? (
            <RelationTable picture={picture} />
          ) : (
            <ReactFlowProvider>
              <Canvas
                layout={layout}
                moved={moved}
                onMove={move}
                actions={actions}
                relating={relating}
                onRelate={setRelating}
                onRelated={relate}
                onOpen={(name) => void navigate(settingsPath(name))}
                onOpenEdge={({ from }) => void navigate(fieldPath(from.collection, from.field))}
                titleOf={titleOf}
                control={control}
              >
                <Legend />
              </Canvas>
            </ReactFlowProvider>
          )}
          <Menu
            anchorEl={anchor}
            open={anchor !== null}
            onClose={close}
            slotProps={{
              list: { 'aria-label': translate('picture.menuOf', { name: nameOf(menuOf) }) },
            }}
          >
            {menu('picture.openFields', () => void navigate(collectionPath(menuOf)))}
            {menu('model.settings', () => void navigate(settingsPath(menuOf)))}
            {menu('model.showItems', () => void navigate(`/content/${encodeURIComponent(menuOf)}`))}
            {focus === menuOf
              ? menu('picture.showAll', () => change({ focus: '' }))
              : menu('picture.focus', () => change({ focus: menuOf }))}
            {menu('picture.relate', () => {
              setRelating(menuOf);
              control.current?.show(menuOf);
            })}
          </Menu>
        </>
      )}
    </Box>
  );
}
