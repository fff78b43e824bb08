/** The import that is being prepared, with what its file and the fields of its collection make of it. */
import { useQuery } from '@tanstack/react-query';
import { useContext, useMemo } from 'react';
import {
  collectionsQuery,
  fieldsQuery,
  relationsQuery,
  useIsAdministrator,
  useRights,
} from '../data/queries.ts';
import type { Field } from '../data/schema-types.ts';
import { useLocaleState } from '../translation/use-translate.ts';
import { textOf } from './beginning.ts';
import { ImportContext } from './import-context.ts';
import { kindsOf, NEW_KINDS, newMapping, resolveMapping, targetFields } from './mapping.ts';
import type { Plan } from './plan.ts';
import { readPreview } from './preview.ts';
import { tablePreview } from './table-content.ts';

const LINES = 20;
const NO_FIELDS: readonly Field[] = [];

/** Whether a collection does not exist, and the caller may have it made; null while that is not known. */
function useIsNew(collection: string): boolean | null {
  const administrator = useIsAdministrator();
  const { data: known, isPending } = useQuery(collectionsQuery);
  if (!administrator || collection === '') return false;
  if (isPending) return null;
  return known !== undefined && !known.has(collection);
}

/** The fields that may be filled. */
export function useTargets(collection: string) {
  const rights = useRights();
  const isNew = useIsNew(collection);
  const query = useQuery({
    ...fieldsQuery(collection),
    enabled: collection !== '' && isNew === false,
  });
  const { data: relations } = useQuery(relationsQuery);
  const fields = useMemo(
    () =>
      query.data === undefined || relations === undefined
        ? NO_FIELDS
        : targetFields(query.data, { relations, rights }),
    [query.data, relations, rights],
  );
  return { ...query, fields, isNew: isNew === true };
}

/** Null while no file is chosen. */
export function usePrepared(fields: readonly Field[], isNew: boolean) {
  const { prepared } = useContext(ImportContext);
  const [locale] = useLocaleState();
  return useMemo(() => {
    if (prepared === null) return null;
    const { opened, plan } = prepared;
    const preview =
      opened.table === null
        ? readPreview(textOf(opened, plan.charset), plan, LINES)
        : tablePreview(opened.table, plan, LINES);
    const mapping = isNew
      ? newMapping(preview.columns, plan.mapping)
      : resolveMapping(preview.columns, fields, plan.mapping, locale);
    const used = new Set(Object.values(mapping));
    const kinds = isNew ? NEW_KINDS : kindsOf(fields.filter(({ field }) => used.has(field)));
    // What no column needs is not said.
    const whole: Plan = {
      ...plan,
      mapping,
      create: isNew,
      dateFormat: kinds.dates ? plan.dateFormat : '',
      timezone: kinds.zones ? plan.timezone : '',
      decimal: kinds.decimals ? plan.decimal : '.',
    };
    return { opened, preview, kinds, plan: whole, used: used.size - (used.has(null) ? 1 : 0) };
  }, [prepared, fields, isNew, locale]);
}
