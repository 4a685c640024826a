import { definePanelTab, type PanelTab } from '../../define-panel-tab.ts';
import { later } from '../../kit/later.tsx';
import { texts } from '../../texts.ts';
import { traceStyles } from './trace-styles.ts';

/**
 * The Trace tab: a replay of the selected run, a file of the record, and a test. Its code loads when it is
 * first opened.
 */
export const traceTab: Required<PanelTab> = definePanelTab({
  id: 'trace',
  label: texts.tabs.trace,
  View: later(async () => (await import('./trace-view.tsx')).TraceView, 'loading'),
  styles: traceStyles,
});
