/** The matrix of a policy as it is edited: a menu for each cell, and a drawer for what is custom. */
import Divider from '@mui/material/Divider';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { useCallback, useState } from 'react';
import { flushSync } from 'react-dom';
import { Icon } from '../theme/icon.tsx';
import type { IconName } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ACTIONS, type Action } from './access-types.ts';
import { Matrix } from './matrix.tsx';
import type { MatrixRow } from './matrix-rows.ts';
import {
  type Cells,
  cellKey,
  FULL_RULE,
  levelOf,
  NO_RULES,
  type Rule,
} from './permission-rules.ts';
import { RuleDrawer } from './rule-drawer.tsx';

export interface PermissionMatrixProps {
  readonly cells: Cells;
  /** Keys of cells that are not saved yet. */
  readonly changed: ReadonlySet<string>;
  readonly editable: boolean;
  readonly onChange: (key: string, rules: readonly Rule[]) => void;
}

interface Opened {
  readonly anchor: HTMLElement;
  readonly row: MatrixRow;
  /** Null for all of the row. */
  readonly action: Action | null;
}

export function PermissionMatrix({ cells, changed, editable, onChange }: PermissionMatrixProps) {
  const translate = useTranslate();
  const [menu, setMenu] = useState<Opened | null>(null);
  const [drawer, setDrawer] = useState<Opened | null>(null);
  const open = useCallback(
    (anchor: HTMLElement, row: MatrixRow, action: Action | null) =>
      (editable ? setMenu : setDrawer)({ anchor, row, action }),
    [editable],
  );
  const rulesAt = (row: MatrixRow, action: Action) =>
    cells.get(cellKey(row.collection, action)) ?? NO_RULES;
  const set = (level: 'none' | 'full') => {
    if (menu === null) return;
    for (const action of menu.action === null ? ACTIONS : [menu.action]) {
      onChange(cellKey(menu.row.collection, action), level === 'none' ? NO_RULES : [FULL_RULE]);
    }
    setMenu(null);
  };
  const { row, action } = menu ?? {};
  const label =
    row && (action ? `${row.label}: ${translate(`access.action.${action}`)}` : row.label);
  const level = row && action ? levelOf(rulesAt(row, action), action) : null;
  const choice = (name: string, icon: IconName, text: string, choose: () => void) => (
    <MenuItem selected={level === name} onClick={choose}>
      <ListItemIcon>
        <Icon name={icon} fontSize="small" />
      </ListItemIcon>
      <ListItemText>{translate(text)}</ListItemText>
    </MenuItem>
  );
  return (
    <>
      <Matrix cells={cells} changed={changed} editable={editable} onOpen={open} />
      <Menu
        open={menu !== null}
        anchorEl={menu?.anchor ?? null}
        onClose={() => setMenu(null)}
        slotProps={{ list: { 'aria-label': label } }}
      >
        {choice('none', 'remove', 'access.noAccess', () => set('none'))}
        {choice('full', 'check', 'access.fullAccess', () => set('full'))}
        {menu?.action && <Divider key="divider" />}
        {menu?.action &&
          choice('custom', 'tune', 'access.custom', () => {
            // The focus is back on the matrix when the drawer comes.
            flushSync(() => setMenu(null));
            setDrawer(menu);
          })}
      </Menu>
      {drawer?.action && (
        <RuleDrawer
          collection={drawer.row.collection}
          label={drawer.row.label}
          action={drawer.action}
          rules={rulesAt(drawer.row, drawer.action)}
          editable={editable}
          onChange={(rules) => {
            if (drawer.action) onChange(cellKey(drawer.row.collection, drawer.action), rules);
          }}
          onClose={() => setDrawer(null)}
        />
      )}
    </>
  );
}
