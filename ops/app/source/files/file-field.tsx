/** The one file of a field: uploaded, chosen from the library, shown, described, given other content. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { client } from '../data/client.ts';
import { useFields, useRights } from '../data/queries.ts';
import { may } from '../data/rights.ts';
import type { Item } from '../data/schema-types.ts';
import { FileSign, isPicture } from '../display/file-sign.tsx';
import { formatBytes } from '../display/format.ts';
import { ControlFrame } from '../interface/control-frame.tsx';
import type { InterfaceProps } from '../interface/interface.ts';
import { ItemDrawer } from '../relation/item-drawer.tsx';
import { PickerDialog } from '../relation/picker-dialog.tsx';
import { linkedOf } from '../relation/to-one.tsx';
import { notify, notifyFailure } from '../shell/notify.ts';
import { Icon } from '../theme/icon.tsx';
import { useLocaleState, useTranslate } from '../translation/use-translate.ts';
import { FocalPoint } from './focal-point.tsx';
import { UploadArea } from './upload-area.tsx';

const SHOWN = [
  ...['id', 'title', 'type', 'filename_download', 'filesize', 'width', 'height'],
  ...['focal_point_x', 'focal_point_y', 'modified_on'],
];
/** What of a file nobody types. */
const TECHNICAL: ReadonlySet<string> = new Set([
  ...['id', 'storage', 'filename_disk', 'type', 'uploaded_by', 'created_on', 'modified_by'],
  ...['modified_on', 'uploaded_on', 'charset', 'filesize', 'width', 'height', 'duration', 'embed'],
  ...['metadata', 'focal_point_x', 'focal_point_y', 'tus_id', 'tus_data', 'sha256'],
]);
const IMAGES = { type: { _starts_with: 'image/' } };
/** A picture is measured by a worker: so often, and after so long (ms), it is asked for its size again. */
const MOST_ASKED = 10;
const ASK_AGAIN_MS = 2_000;

function isUnmeasured(file: Item | undefined): boolean {
  return file !== undefined && isPicture(file) && !(Number(file.width ?? 0) > 0);
}

function Chosen(props: InterfaceProps & { readonly file: string; readonly changes: Item }) {
  const { onChange, readOnly, file: id, changes, faults = [] } = props;
  const translate = useTranslate();
  const [locale] = useLocaleState();
  const rights = useRights();
  const queryClient = useQueryClient();
  const [details, setDetails] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const stored = useQuery({
    queryKey: ['items', 'system_files', 'one', id, SHOWN],
    queryFn: ({ signal }): Promise<Item> => client.files.get(id, { fields: SHOWN }, { signal }),
    refetchInterval: ({ state }) =>
      isUnmeasured(state.data) && state.dataUpdateCount < MOST_ASKED ? ASK_AGAIN_MS : false,
  });
  const replace = useMutation({
    mutationFn: (content: File) => client.files.replace(id, content),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ['items', 'system_files'] });
      notify('file.replaced', { type: 'success' });
    },
    onError: (error) => notifyFailure(error, translate),
  });
  const file: Item = { ...stored.data, ...changes };
  const name = String(file.title ?? file.filename_download ?? id);
  const mayEdit = !readOnly && may(rights, 'system_files', 'update');
  const change = (next: Item) => {
    const isNone = Object.keys(next).length === 0;
    onChange(isNone ? id : { id, ...next });
  };
  const [width, height] = [Number(file.width ?? 0), Number(file.height ?? 0)];
  const [x, y] = [file.focal_point_x ?? null, file.focal_point_y ?? null];
  const version = encodeURIComponent(String(file.modified_on ?? ''));
  return (
    <Box sx={{ border: 1, borderColor: 'divider', borderRadius: 1, p: 2 }}>
      {isPicture(file) && width > 0 && height > 0 ? (
        <FocalPoint
          source={`/assets/${id}?key=system-large-contain&v=${version}`}
          name={name}
          width={width}
          height={height}
          point={x === null || y === null ? null : { x: Number(x), y: Number(y) }}
          readOnly={!mayEdit}
          onChange={(point) =>
            change({ ...changes, focal_point_x: point.x, focal_point_y: point.y })
          }
        />
      ) : (
        <FileSign file={file} size={64} />
      )}
      <Typography sx={{ mt: 1, fontWeight: 600, overflowWrap: 'anywhere' }}>{name}</Typography>
      <Typography color="textSecondary" sx={{ fontSize: 13 }}>
        {[String(file.type ?? ''), formatBytes(Number(file.filesize ?? 0), locale)]
          .filter(Boolean)
          .join(' · ')}
        {width > 0 && ` · ${width} × ${height}`}
      </Typography>
      <Box sx={{ display: 'flex', gap: 0.5, mt: 1, flexWrap: 'wrap' }}>
        <Button size="small" href={`/assets/${id}?download`} startIcon={<Icon name="download" />}>
          {translate('file.download')}
        </Button>
        {mayEdit && (
          <>
            <Button size="small" startIcon={<Icon name="edit" />} onClick={() => setDetails(true)}>
              {translate('file.details')}
            </Button>
            <Button
              size="small"
              loading={replace.isPending}
              startIcon={<Icon name="upload" />}
              onClick={() => input.current?.click()}
            >
              {translate('file.replace')}
            </Button>
            <input
              ref={input}
              type="file"
              hidden
              aria-label={translate('file.replace')}
              onChange={({ target }) => {
                const content = target.files?.[0];
                if (content !== undefined) replace.mutate(content);
                target.value = '';
              }}
            />
          </>
        )}
        {!readOnly && (
          <Button size="small" startIcon={<Icon name="close" />} onClick={() => onChange(null)}>
            {translate('file.takeOut')}
          </Button>
        )}
      </Box>
      {details && (
        <ItemDrawer
          title={name}
          parts={[{ collection: 'system_files', key: id, changes, omit: TECHNICAL, faults }]}
          onApply={([next = {}]) => {
            change(next);
            setDetails(false);
          }}
          onClose={() => setDetails(false)}
        />
      )}
    </Box>
  );
}

export function FileField(props: InterfaceProps) {
  const { field, value, onChange, readOnly } = props;
  const translate = useTranslate();
  const rights = useRights();
  const fields = useFields('system_files');
  const [picks, setPicks] = useState(false);
  const linked = linkedOf(fields, value);
  const imagesOnly = field.meta?.interface === 'file-image';
  const library = (
    <Button
      size="small"
      variant="outlined"
      startIcon={<Icon name="folder_open" />}
      onClick={() => setPicks(true)}
    >
      {translate('file.library')}
    </Button>
  );
  const empty = readOnly ? (
    <Typography color="textSecondary">{translate('file.none')}</Typography>
  ) : may(rights, 'system_files', 'create') ? (
    <UploadArea
      onUploaded={(file) => onChange(file.id)}
      accept={imagesOnly ? 'image/*' : undefined}
    >
      {library}
    </UploadArea>
  ) : (
    library
  );
  return (
    <ControlFrame {...props}>
      {linked !== null && linked.key !== null ? (
        <Chosen {...props} file={String(linked.key)} changes={linked.changes} />
      ) : (
        empty
      )}
      {picks && (
        <PickerDialog
          single
          title={translate('file.library')}
          collection="system_files"
          filter={imagesOnly ? IMAGES : null}
          taken={new Set()}
          onPick={([file]) => {
            if (file !== undefined) onChange(file.id);
            setPicks(false);
          }}
          onClose={() => setPicks(false)}
        />
      )}
    </ControlFrame>
  );
}
