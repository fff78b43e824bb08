/** Everything that the palette can offer the caller. */
import { useTheme } from '@mui/material/styles';
import { useContext } from 'react';
import { useLocation } from 'react-router-dom';
import { usePins } from '../data/pins.ts';
import { useIsAdministrator, useRights } from '../data/queries.ts';
import { useVisits } from '../data/recent.ts';
import { may } from '../data/rights.ts';
import { IMPORTS, itemPath, listPath, NEW_ITEM } from '../data/route-of.ts';
import type { Branch } from '../navigation/tree.ts';
import { useListedCollections } from '../navigation/use-listed-collections.ts';
import { useVisitPlace } from '../navigation/use-visit-place.tsx';
import { SECTIONS } from '../sections.ts';
import { OfferedSectionsContext } from '../shell/offered-sections.ts';
import { usePreferences } from '../shell/use-preferences.ts';
import { useSignOut } from '../sign-in/use-sign-out.ts';
import { Icon, NamedIcon } from '../theme/icon.tsx';
import { useTranslate } from '../translation/use-translate.ts';
import type { Entry } from './entry.ts';
import { useItemSearch } from './item-search.ts';
import { PAGES } from './pages.ts';

/** How many collections are searched for items: each of them is a request. */
const SEARCHED = 6;
const VISITED = /^\/content\/([^/]+)/;

function iconOf({ collection: { meta } }: Branch) {
  return <NamedIcon name={meta?.icon ?? null} fallback="list" />;
}

/** The collections that are searched first: those of the latest visits, the pinned ones, then the others. */
function useSearchedCollections(branches: readonly Branch[]): readonly string[] {
  const visits = useVisits();
  const { pins } = usePins();
  const known = new Set(
    branches
      .filter(({ collection }) => collection.meta?.singleton !== true)
      .map(({ collection }) => collection.collection),
  );
  const visited = visits.flatMap(({ path }) => {
    const [, encoded] = VISITED.exec(path) ?? [];
    return encoded === undefined ? [] : [decodeURIComponent(encoded)];
  });
  const inOrder = new Set([...visited, ...pins.map(({ collection }) => collection), ...known]);
  return [...inOrder].filter((name) => known.has(name)).slice(0, SEARCHED);
}

function usePages(): readonly Entry[] {
  const translate = useTranslate();
  const rights = useRights();
  const administrator = useIsAdministrator();
  const offered = useContext(OfferedSectionsContext);
  const sections = SECTIONS.filter(({ path }) => offered.has(path));
  return [
    ...sections.map(
      ({ path, text, icon }): Entry => ({
        ...{ id: path, group: 'pages', title: translate(text), to: path, atOnce: true },
        icon: <Icon name={icon} />,
      }),
    ),
    ...PAGES.flatMap((page): readonly Entry[] => {
      const section = sections.find(({ path }) => path === page.section);
      if (section === undefined || page.offered?.(rights, administrator) === false) return [];
      return [
        {
          ...{ id: page.path, group: 'pages', title: translate(page.text), to: page.path },
          detail: translate(section.text),
          icon: <Icon name={section.icon} />,
        },
      ];
    }),
  ];
}

function useActions(branches: readonly Branch[]): readonly Entry[] {
  const translate = useTranslate();
  const rights = useRights();
  const offered = useContext(OfferedSectionsContext);
  const signOut = useSignOut();
  const preferences = usePreferences();
  const isDark = useTheme().palette.mode === 'dark';
  const appearance = preferences.find(({ text }) => text === 'shell.appearance');
  const density = preferences.find(({ text }) => text === 'shell.density');
  const isCompact = density?.value === 'compact';
  const creatable = branches.filter(
    ({ collection }) =>
      collection.meta?.singleton !== true && may(rights, collection.collection, 'create'),
  );
  const action = (id: string, icon: Entry['icon'], rest: Partial<Entry>): Entry => ({
    ...{ id, group: 'actions', title: translate(`palette.${id}`), icon, atOnce: true },
    ...rest,
  });
  return [
    ...creatable.map(
      (branch): Entry => ({
        id: `new ${branch.collection.collection}`,
        group: 'actions',
        title: translate('palette.newItem', { name: branch.name }),
        icon: <Icon name="add" />,
        to: itemPath(branch.collection.collection, NEW_ITEM),
      }),
    ),
    ...(offered.has(IMPORTS) ? [action('import', <Icon name="upload" />, { to: IMPORTS })] : []),
    action(isDark ? 'light' : 'dark', <Icon name="contrast" />, {
      words: translate('shell.appearance'),
      act: () => appearance?.choose(isDark ? 'light' : 'dark'),
    }),
    action(isCompact ? 'comfortable' : 'compact', <Icon name="sort" />, {
      ...{ words: translate('shell.density'), atOnce: false },
      act: () => density?.choose(isCompact ? 'comfortable' : 'compact'),
    }),
    action('docs', <Icon name="menu_book" />, {
      act: () => void window.open('/docs', '_blank', 'noopener'),
    }),
    action('signOut', <Icon name="logout" />, { act: () => void signOut() }),
  ];
}

/** The entries for what was typed, and whether items are still searched for. */
export function useEntries(typed: string) {
  const { pathname } = useLocation();
  const branches = useListedCollections();
  const placeOf = useVisitPlace();
  const visits = useVisits().flatMap(({ path: to, title }): readonly Entry[] => {
    const icon = placeOf(to);
    if (icon === null || to === pathname) return [];
    return [{ id: `recent ${to}`, group: 'recent', title, icon, to, atOnce: true }];
  });
  const { items, isSearching } = useItemSearch(typed, useSearchedCollections(branches));
  const recent = new Set(visits.map(({ to }) => to));
  const byName = new Map(branches.map((branch) => [branch.collection.collection, branch]));
  const found = items.flatMap(({ collection, key, title }): readonly Entry[] => {
    const branch = byName.get(collection);
    const to = itemPath(collection, key);
    // One that was open lately stands among the recent ones.
    if (branch === undefined || recent.has(to)) return [];
    return [
      {
        ...{ id: `item ${to}`, group: 'items', title, detail: branch.name, isFound: true, to },
        icon: iconOf(branch),
      },
    ];
  });
  const collections = branches.map((branch): Entry => {
    const { collection } = branch.collection;
    return {
      ...{ id: `collection ${collection}`, group: 'collections', title: branch.name },
      ...{ words: collection, icon: iconOf(branch), to: listPath(collection) },
    };
  });
  const pages = usePages();
  const actions = useActions(branches);
  const isOffered = typed.trim() === '' ? visits.slice(0, 5) : visits;
  return { entries: [...isOffered, ...collections, ...found, ...pages, ...actions], isSearching };
}
