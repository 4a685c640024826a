import { css } from '../../kit/css.ts';

/** The styles of findings: below the verdict, on rows, and with their evidence. */
export const findingStyles: string = css`
  .finding-mark {
    display: inline-grid;
    place-items: center;
    width: 14px;
    height: 14px;
    border-radius: 50%;
    background: var(--muted);
    color: var(--bg);
    font: 700 9px/1 var(--mono);

    &[data-severity='fault'] {
      background: var(--danger);
    }
  }
  .findings {
    align-items: flex-end;
    max-height: 40%;
    overflow: auto;
    border-bottom: 1px solid var(--border);
  }
  .finding-list {
    flex: 1 1 70%;
    min-width: 0;
    margin: 0;

    &:empty {
      display: none;
    }
    [data-expected='true'] {
      color: var(--muted);
    }
  }
  .finding-meant {
    margin-inline: auto 6px;

    &[aria-disabled='true'] {
      border-color: transparent;
      background: none;
      cursor: default;
    }
  }
  .finding-row {
    width: 100%;
    min-height: 24px;
    padding: 1px 10px;
    border-radius: 0;
    text-align: start;

    &:hover:enabled {
      background: var(--select);
    }
    &:disabled {
      cursor: default;
    }
  }
  .finding-sentence {
    min-width: 0;
    overflow-wrap: anywhere;
    /* Its card has all of it. */
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 2;
    overflow: hidden;
  }
  .findings-at {
    max-height: 50%;
    overflow: auto;
    padding: 4px 10px 0;
  }
  .finding-more {
    min-height: 24px;
    padding: 1px 10px;
    white-space: nowrap;
  }
  .finding-card {
    margin: 4px 0 10px;
    padding: 6px 10px;
    border: 1px solid var(--border);
    border-inline-start: 3px solid var(--muted);
    border-radius: 6px;

    &[data-severity='fault'] {
      border-inline-start-color: var(--danger);
    }
    p {
      margin: 2px 0;
      overflow-wrap: anywhere;
    }
  }
  .finding-head {
    display: flex;
    align-items: baseline;
  }
  .finding-sides {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(170px, 1fr));
    gap: 0 10px;
  }
  .finding-side {
    min-width: 0;
  }
  .verdict[data-fault='fault'] {
    border-color: var(--danger);
  }
  @media (forced-colors: active) {
    .finding-mark {
      forced-color-adjust: none;
    }
  }
`;
