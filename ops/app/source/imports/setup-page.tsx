/** Prepares an import: the collection, the file, how it is written, and where its columns go. */
import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import { useContext } from 'react';
import { useSearchParams } from 'react-router-dom';
import { useZone } from '../data/use-zone.ts';
import { Failure } from '../shell/failure.tsx';
import { Loading } from '../shell/loading.tsx';
import { PageHeader } from '../shell/page-header.tsx';
import { Part } from '../shell/part.tsx';
import { AT_ONCE } from '../shell/use-parameters.ts';
import { useTranslate } from '../translation/use-translate.ts';
import type { OpenedFile } from './beginning.ts';
import { CollectionChoice } from './collection-choice.tsx';
import { ConstantList } from './constant-list.tsx';
import { DialectForm } from './dialect-form.tsx';
import { FileArea } from './file-area.tsx';
import { FirstRows } from './first-rows.tsx';
import { guessPlan } from './guess.ts';
import { ImportContext } from './import-context.ts';
import { withChoice, withField, withReference } from './mapping.ts';
import { MappingList } from './mapping-list.tsx';
import { NewFields } from './new-fields.tsx';
import { isTable, type Plan } from './plan.ts';
import { RecentImports } from './recent-imports.tsx';
import { RowsForm } from './rows-form.tsx';
import { StartBar } from './start-bar.tsx';
import { usePrepared, useTargets } from './use-prepared.ts';

export function Component() {
  const translate = useTranslate();
  const [parameters, setParameters] = useSearchParams();
  const collection = parameters.get('collection') ?? '';
  const { prepared: state, prepare } = useContext(ImportContext);
  const targets = useTargets(collection);
  const { isNew } = targets;
  const prepared = usePrepared(targets.fields, isNew);
  const change = (changes: Partial<Plan>) => {
    if (state !== null) prepare({ ...state, plan: { ...state.plan, ...changes } });
  };
  const choose = (name: string) => {
    setParameters(name === '' ? {} : { collection: name }, AT_ONCE);
    // Other fields: what was chosen for those before says nothing about them.
    change({
      ...{ mapping: {}, references: {}, constants: {}, match: '', mode: 'upsert' },
      ...{ types: {}, key: '', formats: {} },
    });
  };
  const zone = useZone();
  const open = (opened: OpenedFile) => prepare({ opened, plan: guessPlan(opened, zone) });

  const chosen = state?.plan.mapping ?? {};
  const map = (column: string, field: string | null) =>
    change({ mapping: { ...chosen, [column]: field } });

  const steps = () => {
    if (prepared === null) return <RecentImports />;
    const { plan, preview, kinds } = prepared;
    const named = preview.columns.filter((column) => column !== '');
    if (collection === '') {
      return <Alert severity="info">{translate('imports.chooseCollection')}</Alert>;
    }
    if (targets.isError) {
      return <Failure error={targets.error} retry={() => targets.refetch()} />;
    }
    if (targets.isPending && !isNew) return <Loading />;
    return (
      <>
        <Part title={translate('imports.dialect')} help={translate('imports.dialectHelp')}>
          <DialectForm
            plan={state?.plan ?? plan}
            sheets={prepared.opened.table?.sheets ?? []}
            onChange={change}
            kinds={kinds}
          />
          <Box>
            {preview.rows.length === 0 ? (
              <Alert severity={isTable(plan) ? 'info' : 'warning'}>
                {translate(isTable(plan) ? 'imports.noPreview' : 'imports.noRows')}
              </Alert>
            ) : (
              <FirstRows preview={preview} mapping={plan.mapping} />
            )}
          </Box>
        </Part>
        <Part
          title={translate('imports.mapping')}
          help={translate(isNew ? 'imports.newMappingHelp' : 'imports.mappingHelp')}
        >
          {isNew ? (
            <NewFields
              collection={collection}
              opened={prepared.opened}
              preview={preview}
              plan={plan}
              onPlan={change}
              onChange={map}
            />
          ) : (
            <>
              <MappingList
                preview={preview}
                fields={targets.fields}
                mapping={plan.mapping}
                references={plan.references ?? {}}
                constants={plan.constants ?? {}}
                inserts={plan.mode !== 'update'}
                onChange={(column, field) =>
                  change(withField(plan, withChoice(chosen, plan.mapping, column, field)))
                }
                onReference={(column, reference) =>
                  change({ references: withReference(plan.references, column, reference) })
                }
              />
              <ConstantList
                plan={plan}
                fields={targets.fields}
                onChange={(constants) => change({ constants })}
              />
            </>
          )}
        </Part>
        <Part title={translate('imports.rows')}>
          <RowsForm collection={collection} plan={plan} fields={targets.fields} onChange={change} />
        </Part>
        <StartBar collection={collection} used={prepared.used} all={named.length} />
      </>
    );
  };

  return (
    <>
      <PageHeader title={translate('imports.title')} />
      <Box
        sx={{
          ...{ p: { xs: 1.5, md: 3 }, display: 'grid', gap: 2, maxWidth: 1100 },
          gridTemplateColumns: '100%',
        }}
      >
        <Part title={translate('imports.what')}>
          <Box sx={{ display: 'grid', gap: 2, gridTemplateColumns: '100%' }}>
            <CollectionChoice value={collection} onChange={choose} />
            <FileArea
              opened={state?.opened ?? null}
              format={state?.plan.format ?? null}
              onOpened={open}
            />
          </Box>
        </Part>
        {steps()}
      </Box>
    </>
  );
}
