/** Where a screen of the App belongs: the icon of its collection or its section, and whether one may go there. */
import { type ReactNode, useContext } from 'react';
import { useCollections, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import { OfferedSectionsContext } from '../shell/offered-sections.ts';
import { Icon, NamedIcon } from '../theme/icon.tsx';

const CONTENT = /^\/content\/([^/]+)/;

/** Finds the icon of a path; null for what the caller cannot open now. */
export function useVisitPlace(): (path: string) => ReactNode | null {
  const collections = useCollections();
  const rights = useRights();
  const offered = useContext(OfferedSectionsContext);
  return (path) => {
    const [, encoded] = CONTENT.exec(path) ?? [];
    if (encoded === undefined) {
      const section = [...offered].find(([begin]) => begin !== '/' && path.startsWith(begin));
      return section === undefined ? null : <Icon name={section[1]} />;
    }
    const name = decodeURIComponent(encoded);
    const collection = collections.get(name);
    if (collection === undefined || !may(rights, name, 'read')) return null;
    return <NamedIcon name={collection.meta?.icon ?? null} fallback="list" />;
  };
}
