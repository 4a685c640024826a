import { definePanelTab, type PanelTab } from '../../define-panel-tab.ts';
import { css } from '../../kit/css.ts';
import { later } from '../../kit/later.tsx';
import { texts } from '../../texts.ts';

const runsStyles: string = css`
  .runs-filter {
    gap: 4px 8px;

    > * {
      flex: 1 1 84px;
      min-width: 0;
      max-width: 220px;
    }
  }
  li > button {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0 8px;
    width: 100%;
    height: auto;
    padding: 4px 6px;
    border-bottom: 1px solid var(--border);
    text-align: start;

    .facts {
      grid-column: 1 / -1;
    }
  }
  :is([data-result='faulty'], [data-result='failed']) b {
    color: var(--danger);
  }
`;

/** The History tab: the runs of all sessions in the store. */
export const runsTab: Required<PanelTab> = definePanelTab({
  id: 'runs',
  label: texts.tabs.runs,
  View: later(async () => (await import('./runs-view.tsx')).RunsView, 'loading'),
  styles: runsStyles,
});
