/** A request in each of the languages in which it can be copied, one at a time. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { client } from '../data/client.ts';
import { fieldsQuery, relationsQuery } from '../data/queries.ts';
import type { Field, Relation } from '../data/schema-types.ts';
import { useStore } from '../data/store.ts';
import { useTranslate } from '../translation/use-translate.ts';
import { CodeText } from './code-text.tsx';
import { curlText } from './curl.ts';
import { graphqlText } from './graphql.ts';
import { askedCollections } from './known-schema.ts';
import type { ReadRequest } from './request.ts';
import { clientText, directusText } from './sdk.ts';

const LANGUAGES = ['curl', 'client', 'directus', 'graphql'] as const;
type Language = (typeof LANGUAGES)[number];

/** What the languages are called in every language. */
const NAMES: Readonly<Record<Language, string>> = {
  curl: 'curl',
  client: '@sluice/client',
  directus: '@directus/sdk',
  graphql: 'GraphQL',
};

const NO_RELATIONS: readonly Relation[] = [];

/** The document of GraphQL; undefined while the schema is read, null where there is none. */
function useGraphqlText(request: ReadRequest): string | null | undefined {
  const relations = useQuery(relationsQuery);
  const known = relations.data ?? NO_RELATIONS;
  const asked = askedCollections(request, known);
  const fields = useQueries({ queries: asked.map(fieldsQuery) });
  if (relations.isPending || fields.some(({ isPending }) => isPending)) return undefined;
  const byName = new Map(
    asked.map((name, index): [string, readonly Field[]] => [name, fields[index]?.data ?? []]),
  );
  return graphqlText(request, client.url, {
    relations: known,
    fieldsOf: (name) => byName.get(name) ?? [],
  });
}

export function CodeTabs({ request }: { readonly request: ReadRequest }) {
  const translate = useTranslate();
  const id = useId();
  const [chosen, choose] = useStore<string>('share.language', 'curl');
  const language = LANGUAGES.find((known) => known === chosen) ?? 'curl';
  const document = useGraphqlText(request);
  const texts: Readonly<Record<Language, string | null | undefined>> = {
    curl: curlText(request, client.url),
    client: clientText(request, client.url),
    directus: directusText(request, client.url),
    graphql: document,
  };
  const text = texts[language];
  return (
    <Box sx={{ display: 'grid', gap: 1.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
      <Tabs
        value={language}
        onChange={(_, next: Language) => choose(next)}
        aria-label={translate('share.languages')}
        sx={{
          minHeight: 36,
          // On a narrow screen they stand below each other, where a line below one would be of no use.
          '& .MuiTabs-list': { flexWrap: 'wrap', gap: 0.5 },
          '& .MuiTabs-indicator': { display: 'none' },
          '& .MuiTab-root': { minHeight: 32, minWidth: 0, px: 1.25, py: 0.5, borderRadius: 1 },
          '& .MuiTab-root.Mui-selected': { bgcolor: 'action.selected', color: 'text.primary' },
        }}
      >
        {LANGUAGES.map((name) => (
          <Tab
            key={name}
            value={name}
            label={NAMES[name]}
            id={`${id}-${name}`}
            aria-controls={`${id}-text`}
            sx={{ textTransform: 'none' }}
          />
        ))}
      </Tabs>
      <Box role="tabpanel" id={`${id}-text`} aria-labelledby={`${id}-${language}`}>
        {text === null && <Alert severity="info">{translate('share.noGraphql')}</Alert>}
        {typeof text === 'string' && <CodeText label={NAMES[language]} text={text} />}
      </Box>
    </Box>
  );
}
