import { definePanelTab, type PanelTab } from '../../define-panel-tab.ts';
import { later } from '../../kit/later.tsx';
import { traceStyles } from './trace-styles.ts';

/** What one takes with one: a replay of the run that is looked at, a file of all that was recorded, a test. Loaded when it is opened. */
export const traceTab: Required<PanelTab> = definePanelTab({
  id: 'trace',
  label: 'Trace',
  View: later(async () => (await import('./trace-view.tsx')).TraceView, 'Loading…'),
  styles: traceStyles,
});
