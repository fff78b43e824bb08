/** What can be done with a panel: its picture or its table as a file, and for those with the rights its change. */
import IconButton from '@mui/material/IconButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useTheme } from '@mui/material/styles';
import { useId } from 'react';
import { useNavigate } from 'react-router-dom';
import { pictureOf } from '../chart/picture.ts';
import { useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { NEW_ITEM } from '../data/route-of.ts';
import { notifyFailure } from '../shell/notify.ts';
import { saveAs } from '../shell/save-as.ts';
import { useMenu } from '../shell/use-menu.ts';
import { useParameters } from '../shell/use-parameters.ts';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { csvOf, type Table } from './csv.ts';
import { COPY, panelPath } from './insight-queries.ts';
import { PANELS, type Panel } from './panel-options.ts';

/** A name that every system takes for a file. */
function fileName(title: string): string {
  return title.replace(/[^\p{L}\p{N} ._-]+/gu, ' ').trim() || 'panel';
}

export interface PanelMenuProps {
  readonly panel: Panel;
  readonly title: string;
  readonly table: Table | null;
  readonly onDelete: () => void;
}

export function PanelMenu({ panel, title, table, onDelete }: PanelMenuProps) {
  const translate = useTranslate();
  const navigate = useNavigate();
  const rights = useRights();
  const theme = useTheme();
  const id = useId();
  const { anchor, open, close, choose } = useMenu();
  const drawing = anchor?.closest('figure')?.querySelector<SVGSVGElement>('[role=img] svg');
  const savePicture = async (svg: SVGSVGElement) => {
    try {
      saveAs(await pictureOf(svg, title, theme.palette.background.paper), `${fileName(title)}.png`);
    } catch (error) {
      notifyFailure(error, translate);
    }
  };
  const saveTable = (shown: Table) =>
    saveAs(new Blob([csvOf(shown)], { type: 'text/csv;charset=utf-8' }), `${fileName(title)}.csv`);
  const entry = (icon: IconName, text: string, act: () => void) => (
    <MenuItem key={text} onClick={() => choose(act)}>
      <ListItemIcon>
        <Icon name={icon} fontSize="small" />
      </ListItemIcon>
      {translate(text)}
    </MenuItem>
  );
  const change = may(rights, PANELS, 'update');
  const create = may(rights, PANELS, 'create');
  const { parameters } = useParameters();
  // The period and the variables go along.
  const to = (path: string, copied?: string) => () => {
    const shown = new URLSearchParams(parameters);
    if (copied !== undefined) shown.set(COPY, copied);
    void navigate(`${path}?${shown}`);
  };
  const entries = [
    ...(drawing ? [entry('image', 'insights.savePicture', () => void savePicture(drawing))] : []),
    ...(table === null ? [] : [entry('download', 'insights.saveTable', () => saveTable(table))]),
    ...(change
      ? [entry('edit', 'insights.editPanel', to(panelPath(panel.dashboard, panel.id)))]
      : []),
    ...(create
      ? [
          entry(
            'content_copy',
            'insights.copyPanel',
            to(panelPath(panel.dashboard, NEW_ITEM), panel.id),
          ),
        ]
      : []),
    ...(may(rights, PANELS, 'delete') ? [entry('delete', 'insights.deletePanel', onDelete)] : []),
  ];
  if (entries.length === 0 && anchor === null && table === null) return null;
  return (
    <>
      <IconButton
        id={`${id}-opener`}
        size="small"
        aria-label={translate('insights.panelMenu', { title })}
        aria-haspopup="menu"
        aria-expanded={anchor !== null}
        aria-controls={anchor === null ? undefined : id}
        onClick={open}
      >
        <Icon name="more_vert" fontSize="small" />
      </IconButton>
      <Menu
        id={id}
        anchorEl={anchor}
        open={anchor !== null}
        onClose={close}
        slotProps={{ list: { 'aria-labelledby': `${id}-opener` } }}
      >
        {entries}
      </Menu>
    </>
  );
}
