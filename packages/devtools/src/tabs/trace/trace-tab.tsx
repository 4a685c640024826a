import { lazy, type ReactNode, Suspense } from 'react';
import { definePanelTab, type PanelTab, type PanelTabProps } from '../../define-panel-tab.ts';
import { traceStyles } from './trace-styles.ts';

/** What one takes with one: a replay of the run that is looked at, a file of all that was recorded, a test. Loaded when it is opened. */
export const traceTab: Required<PanelTab> = definePanelTab({
  id: 'trace',
  label: 'Trace',
  View: LazyTrace,
  styles: traceStyles,
});

const TraceView = lazy(async () => ({ default: (await import('./trace-view.tsx')).TraceView }));

function LazyTrace(props: PanelTabProps): ReactNode {
  return (
    <Suspense fallback={<p className="empty">Loading…</p>}>
      <TraceView {...props} />
    </Suspense>
  );
}
