import { definePanelTab, type PanelTab } from '../../define-panel-tab.ts';
import { css } from '../../kit/css.ts';
import { later } from '../../kit/later.tsx';
import { texts } from '../../texts.ts';

const runsStyles: string = css`
  .runs-filter {
    display: flex;
    flex-wrap: wrap;
    gap: 4px 8px;

    input {
      width: 84px;
    }
    :is(select, [type='search']) {
      flex: 1 1 110px;
      min-width: 0;
      max-width: 220px;
    }
    [type='date'] {
      width: auto;
    }
  }
  ol {
    margin: 8px 0;
    padding: 0;
    list-style: none;
  }
  li > button {
    display: grid;
    grid-template-columns: minmax(0, 1fr) auto;
    gap: 0 8px;
    width: 100%;
    height: auto;
    padding: 4px 6px;
    border: 0;
    border-bottom: 1px solid var(--border);
    border-radius: 0;
    background: none;
    text-align: start;

    &:hover {
      background: var(--select);
    }
    .facts {
      grid-column: 1 / -1;
      margin: 0;
    }
  }
  [data-result='faulty'] b,
  [data-result='failed'] b {
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
