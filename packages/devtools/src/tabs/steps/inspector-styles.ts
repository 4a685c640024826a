import { css } from '../../kit/css.ts';

/** The styles of the step inspector. */
export const inspectorStyles: string = css`
  .inspector {
    flex: 1;
    min-width: 0;
    min-height: 0;
    display: flex;
    flex-direction: column;
  }
  .inspector-head {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px 10px;
    padding: 4px 12px;

    h3 {
      margin: 0;
    }
  }
  .inspector > .error-line {
    margin: 2px 12px;
  }
  .copy {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 6px;
    margin-left: auto;
    font-size: 11px;

    label {
      display: flex;
      align-items: center;
      gap: 3px;
      color: var(--muted);
    }
  }
  .item[data-found='true'] {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: 5px;
    background: var(--select);
  }
  .message {
    margin: 4px 0 8px;
    padding-left: 8px;
    border-left: 2px solid var(--border);
  }
  .message-head {
    display: flex;
    gap: 6px;
    margin: 0;
  }
  [data-mark='new'] {
    color: var(--accent);
    border-color: currentColor;
  }
  :is([data-mark='not sent'], [data-mark='changed']) {
    color: var(--warn);
    border-color: currentColor;
  }
  .note {
    margin: 2px 0;
    color: var(--warn);
  }
  .facts-table {
    display: grid;
    grid-template-columns: repeat(auto-fill, minmax(150px, 1fr));
    gap: 4px 12px;
    margin: 2px 0 8px;

    dt {
      color: var(--muted);
      font-size: 11px;
    }
    dd {
      margin: 0;
      font-variant-numeric: tabular-nums;
      overflow-wrap: anywhere;
    }
  }
  .raw-events {
    display: flex;
    flex-direction: column;
    height: 340px;
    border: 1px solid var(--border);
  }
  .state-search {
    width: 100%;
    margin: 2px 0 6px;
  }
  .state-tree {
    display: flex;
    flex-direction: column;
    height: max(340px, 70%);
    border: 1px solid var(--border);
    border-radius: 5px;
  }
  .history {
    margin: 2px 0;
    padding-left: 22px;

    li {
      overflow-wrap: anywhere;
    }
  }
`;
