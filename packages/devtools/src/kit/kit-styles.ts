import { css } from './css.ts';

/** Common styles of the views. */
export const kitStyles: string = css`
  .fill {
    flex: 1;
    min-height: 0;
    display: flex;
    flex-direction: column;
  }
  .scroll {
    overflow: auto;
    min-height: 0;
  }
  .detail {
    flex: 1;
    padding: 8px 12px 24px;
  }
  .empty {
    margin: 0;
    padding: 18px 14px;
    color: var(--muted);
  }
  .facts {
    margin: 2px 0;
    color: var(--muted);
  }
  .error-line {
    margin: 4px 0;
    color: var(--danger);
    overflow-wrap: anywhere;
  }
  .figure {
    color: var(--muted);
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .chip {
    padding: 0 7px;
    border: 1px solid var(--border);
    border-radius: 999px;
    color: var(--muted);
    font-size: 11px;
    white-space: nowrap;
  }
  .filter {
    display: flex;
    gap: 6px;
    padding: 6px;
    border-bottom: 1px solid var(--border);

    input {
      flex: 1;
      min-width: 0;
    }
  }
  h3 {
    margin: 2px 0 4px;
    font-size: 13px;
  }
  h4 {
    margin: 10px 0 3px;
    color: var(--muted);
    font-size: 11px;
    font-weight: 600;
  }
  pre {
    margin: 2px 0 6px;
    padding: 6px 8px;
    border-radius: 5px;
    background: var(--sunken);
    white-space: pre-wrap;
    overflow-wrap: anywhere;
  }
  pre[data-long='true'] {
    max-height: 320px;
    overflow: auto;
  }
  .section {
    margin: 6px 0;

    summary {
      cursor: pointer;
      color: var(--muted);
    }
  }
`;
