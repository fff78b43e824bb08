/** The section of imports: one prepares an import, and follows it. */
import { useMemo, useState } from 'react';
import { Outlet } from 'react-router-dom';
import { ImportContext, type PreparedImport } from './import-context.ts';

export function Component() {
  const [prepared, prepare] = useState<PreparedImport | null>(null);
  const state = useMemo(() => ({ prepared, prepare }), [prepared]);
  return (
    <ImportContext value={state}>
      <Outlet />
    </ImportContext>
  );
}
