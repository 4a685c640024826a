import { definePanelTab, type PanelTab } from '../../define-panel-tab.ts';
import { css } from '../../kit/css.ts';
import { later } from '../../kit/later.tsx';
import { texts } from '../../texts.ts';

const traceStyles: string = css`
  section {
    margin: 0 0 14px;
    padding: 0 0 10px;
    border-bottom: 1px solid var(--border);
  }
  h2 {
    margin: 6px 0 2px;
  }
  .taken-out {
    max-height: 180px;
    overflow: auto;
    margin: 4px 0;
    padding-inline-start: 18px;
  }
`;

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
