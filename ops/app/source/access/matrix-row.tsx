/** One collection of the matrix. Its cells are plain elements, because there are thousands of them. */

import { memo } from 'react';
import { NamedIcon } from '../theme/icon.tsx';
import { ICONS } from '../theme/icon-paths.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { ACTIONS, type Action } from './access-types.ts';
import type { MatrixRow } from './matrix-rows.ts';
import type { Level } from './permission-rules.ts';

const SIGNS: Readonly<Record<Level, string>> = {
  none: ICONS.remove,
  custom: ICONS.tune,
  full: ICONS.check,
};

export type OpenCell = (anchor: HTMLElement, row: MatrixRow, action: Action | null) => void;

export interface RowProps {
  readonly row: MatrixRow;
  /** The levels of the actions, and behind each changed one a star: compared by what they say. */
  readonly levels: string;
  readonly editable: boolean;
  readonly onOpen: OpenCell;
}

/** Writes the levels of a row as a text. */
export function writeLevels(cells: readonly { level: Level; changed: boolean }[]): string {
  return cells.map(({ level, changed }) => `${level}${changed ? '*' : ''}`).join(' ');
}

function readLevel(text: string): Level {
  return text.startsWith('full') ? 'full' : text.startsWith('custom') ? 'custom' : 'none';
}

export const CollectionRow = memo(function CollectionRow(props: RowProps) {
  const { row, levels, editable, onOpen } = props;
  const translate = useTranslate();
  const texts = levels.split(' ');
  return (
    <tr>
      <th scope="row">
        <span className="collection">
          <NamedIcon name={row.icon} fallback="table_chart" fontSize="small" />
          <span className="names">
            <span className="label">{row.label}</span>
            <code>{row.collection}</code>
          </span>
        </span>
      </th>
      {ACTIONS.map((action, index) => {
        const text = texts[index] ?? 'none';
        const level = readLevel(text);
        const changed = text.endsWith('*');
        const name = translate('access.cell', {
          collection: row.label,
          action: translate(`access.action.${action}`),
          level: translate(`access.level.${level}`),
        });
        return (
          <td key={action}>
            <button
              type="button"
              className={`cell ${level}${changed ? ' changed' : ''}`}
              aria-label={changed ? `${name} (${translate('access.unsaved')})` : name}
              aria-haspopup={editable ? 'menu' : 'dialog'}
              tabIndex={-1}
              data-cell
              onClick={({ currentTarget }) => onOpen(currentTarget, row, action)}
            >
              <svg viewBox="0 0 24 24" aria-hidden>
                <path d={SIGNS[level]} />
              </svg>
              <span className="word">{translate(`access.level.${level}`)}</span>
            </button>
          </td>
        );
      })}
      {editable && (
        <td>
          <button
            type="button"
            className="cell more"
            aria-label={translate('access.wholeRow', { collection: row.label })}
            aria-haspopup="menu"
            tabIndex={-1}
            data-cell
            onClick={({ currentTarget }) => onOpen(currentTarget, row, null)}
          >
            <svg viewBox="0 0 24 24" aria-hidden>
              <path d={ICONS.more_vert} />
            </svg>
          </button>
        </td>
      )}
    </tr>
  );
});
