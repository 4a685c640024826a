import { definePanelTab, type PanelTab } from '../../define-panel-tab.ts';
import { css } from '../../kit/css.ts';
import { later } from '../../kit/later.tsx';
import { texts } from '../../texts.ts';

const causeStyles: string = css`
  .cause {
    gap: 10px;
  }
  label {
    display: flex;
    flex-direction: column;
    gap: 2px;
  }
  :is(.line, select, textarea) {
    width: 100%;
    font: inherit;
  }
  .caps {
    align-items: end;
  }
  .cases [data-red='true'] {
    color: var(--danger);
  }
  table {
    width: 100%;
    border-collapse: collapse;
    font-size: 12px;
  }
  :is(th, td) {
    padding: 3px 6px;
    text-align: start;
    vertical-align: top;
    border-bottom: 1px solid var(--border);
  }
  :is(.sentence, tbody th, td:last-child) {
    min-width: 84px;
    overflow-wrap: anywhere;
  }
  .runs-met {
    margin: 0;
    padding-inline-start: 18px;
  }
`;

/** The Cause tab: a line about what the agent should do, and the experiment that finds what breaks it. */
export const causeTab: Required<PanelTab> = definePanelTab({
  id: 'cause',
  label: texts.tabs.cause,
  View: later(async () => (await import('./cause-view.tsx')).CauseView, 'loading'),
  styles: causeStyles,
});
