/** A first request to the API on the home, with a collection of the caller. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { keyFields } from '../data/item-key.ts';
import { fieldsQuery, useIsAdministrator } from '../data/queries.ts';
import { useStore } from '../data/store.ts';
import { useTemplate } from '../display/representation.ts';
import { templatePaths } from '../display/template.ts';
import type { Branch } from '../navigation/tree.ts';
import { CodeTabs } from '../share/code-tabs.tsx';
import { Part } from '../shell/part.tsx';
import { useTranslate } from '../translation/use-translate.ts';

const LIMIT = 5;

function FirstRequest({ collection }: { readonly collection: string }) {
  const { data: fields } = useQuery(fieldsQuery(collection));
  const template = useTemplate(collection);
  if (fields === undefined || template === '') return null;
  const named = [...new Set([...keyFields(fields), ...templatePaths(template)])];
  return <CodeTabs request={{ kind: 'list', collection, fields: named, limit: LIMIT }} />;
}

export function RequestPart({ branch }: { readonly branch: Branch }) {
  const translate = useTranslate();
  const id = useId();
  // Those who set up an installation write programs more often than those who work with it.
  const [open, setOpen] = useStore('home.request', useIsAdministrator());
  return (
    <Part title={translate('home.request')} help={translate('home.requestHelp')}>
      <div id={id}>{open && <FirstRequest collection={branch.collection.collection} />}</div>
      <Button
        color="inherit"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        sx={{ justifySelf: 'start' }}
      >
        {translate(open ? 'home.hideRequest' : 'home.showRequest')}
      </Button>
    </Part>
  );
}
