/**
 * What a list shows, kept in the address of the page: so that it can be bookmarked, sent to somebody,
 * and gone back to. The server remembers the columns for the user, the browser the rows per page.
 */

import { useCallback, useEffect, useMemo } from 'react';
import { useSearchParams } from 'react-router-dom';
import { rememberList } from '../data/last-list.ts';
import type { Filter } from '../data/schema-types.ts';
import { useStore } from '../data/store.ts';
import { sameValue } from '../data/values.ts';
import { AT_ONCE } from '../shell/use-parameters.ts';
import { isLayout, type Layout, type LayoutOptions, readOptions } from '../views/layout.ts';
import { type Grid, NO_GRID, readGrid } from './grid.ts';
import { useOwnPreset } from './use-own-preset.ts';

/** Which items of a collection with an archive are shown. */
export type Archive = 'active' | 'archived' | 'all';

export interface ListState {
  readonly search: string;
  readonly filter: Filter | null;
  /** Names of fields, with `-` for descending; empty for the order of the collection. */
  readonly sort: readonly string[];
  readonly page: number;
  readonly limit: number;
  /** Names of fields; null for those that the collection begins with. */
  readonly columns: readonly string[] | null;
  /** Widths, places and summaries of the columns. */
  readonly grid: Grid;
  readonly archive: Archive;
  /** The bookmark that was chosen. */
  readonly bookmark: string | null;
  /** How the items are shown; null for what is remembered. */
  readonly layout: Layout | null;
  /** The options of this view; null for what is remembered. */
  readonly options: LayoutOptions | null;
}

export const LIMITS = [25, 50, 100, 250] as const;
const LIMIT = 25;

const namesOf = (text: string | null) => (text ? text.split(',') : []);

function readObject(text: string | null): Filter | null {
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : null;
  } catch {
    return null;
  }
}

function readNumber(text: string | null, otherwise: number): number {
  const number = Number(text ?? otherwise);
  return Number.isSafeInteger(number) && number > 0 ? number : otherwise;
}

function readArchive(text: string | null): Archive {
  return text === 'archived' || text === 'all' ? text : 'active';
}

/** The parameters of the address for a state; what is as it begins is left out. */
function parametersOf(state: ListState): URLSearchParams {
  const parameters = new URLSearchParams();
  const put = (name: string, value: string) => value !== '' && parameters.set(name, value);
  put('search', state.search);
  put('filter', state.filter === null ? '' : JSON.stringify(state.filter));
  put('sort', state.sort.join(','));
  put('page', state.page > 1 ? String(state.page) : '');
  put('limit', state.limit === LIMIT ? '' : String(state.limit));
  put('columns', state.columns?.join(',') ?? '');
  put('archive', state.archive === 'active' ? '' : state.archive);
  put('bookmark', state.bookmark ?? '');
  const isPlain = state.bookmark === null || sameValue(state.grid, NO_GRID);
  put('grid', isPlain ? '' : JSON.stringify(state.grid));
  put('layout', state.layout ?? '');
  put('options', state.options === null ? '' : JSON.stringify(state.options));
  return parameters;
}

const NOTHING = { columns: null, grid: NO_GRID } as const;

/** The state of the list of a collection, whether all of it is known, and how it is changed. A change leads to the first page. */
export function useListState(collection: string) {
  const [parameters, setParameters] = useSearchParams();
  const [limit, rememberLimit] = useStore<number>('list.limit', LIMIT);
  const { look, remember } = useOwnPreset(collection);
  const { columns, grid } = look ?? NOTHING;
  const state = useMemo<ListState>(() => {
    const own = namesOf(parameters.get('columns'));
    const bookmark = parameters.get('bookmark');
    const layout = parameters.get('layout');
    const options = readObject(parameters.get('options'));
    return {
      search: parameters.get('search') ?? '',
      filter: readObject(parameters.get('filter')),
      sort: namesOf(parameters.get('sort')),
      page: readNumber(parameters.get('page'), 1),
      limit: readNumber(parameters.get('limit'), limit),
      columns: own.length > 0 ? own : columns,
      grid: bookmark === null ? grid : readGrid(readObject(parameters.get('grid'))),
      archive: readArchive(parameters.get('archive')),
      bookmark,
      layout: isLayout(layout) ? layout : null,
      options: options && readOptions(options),
    };
  }, [parameters, limit, columns, grid]);
  useEffect(() => rememberList(collection, parameters.toString()), [collection, parameters]);
  const change = useCallback(
    (changes: Partial<ListState>) => {
      if (changes.limit !== undefined) rememberLimit(changes.limit);
      const { columns: names, grid: next } = changes;
      // A bookmark has a look of its own, which its address keeps; choosing one changes no other.
      const isOwn = changes.bookmark === undefined && state.bookmark === null;
      if (isOwn && (names !== undefined || next !== undefined)) {
        remember({
          ...(names !== undefined && { columns: names }),
          ...(next !== undefined && { grid: next }),
        });
      }
      setParameters(parametersOf({ ...state, page: 1, ...changes }), AT_ONCE);
    },
    [state, setParameters, rememberLimit, remember],
  );
  return { state, change, isKnown: look !== null };
}
