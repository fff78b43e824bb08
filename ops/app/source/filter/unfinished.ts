/** Tells a form that a filter in it has a condition that is not complete, so that the form is not saved. */
import { createContext, useContext, useEffect, useId } from 'react';

export type ReportUnfinished = (id: string, isUnfinished: boolean) => void;

export const UnfinishedContext = createContext<ReportUnfinished>(() => undefined);

/** Reports to the form around it as long as the filter is there. */
export function useReportUnfinished(isUnfinished: boolean): void {
  const id = useId();
  const report = useContext(UnfinishedContext);
  useEffect(() => {
    report(id, isUnfinished);
    return () => report(id, false);
  }, [id, report, isUnfinished]);
}
