/** The control of a field; while it loads, its place is kept. */
import Skeleton from '@mui/material/Skeleton';
import { Suspense } from 'react';
import type { InterfaceProps } from './interface.ts';
import { interfaceOf } from './registry.ts';

export function FieldInterface(props: InterfaceProps) {
  const Control = interfaceOf(props.field, props.relation);
  if (Control === null) return null;
  return (
    <Suspense fallback={<Skeleton variant="rounded" height={40} />}>
      <Control {...props} />
    </Suspense>
  );
}
