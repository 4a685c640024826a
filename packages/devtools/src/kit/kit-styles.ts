import { css } from './css.ts';

/** The styles of elements that many views arrange in the same way. They come first, so that those of a view win. */
export const layoutStyles: string = css`
  .beside {
    display: flex;
    align-items: center;
  }
  .stacked {
    display: flex;
    flex-direction: column;
  }
  .wrapping {
    display: flex;
    flex-wrap: wrap;
  }
  .firm {
    flex: none;
  }
  /* A text that gives way to its neighbours. */
  .cut {
    flex: 0 1 auto;
    min-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .grow {
    flex: 1;
  }
  .near {
    gap: 4px;
  }
  .spaced {
    gap: 8px;
  }
  .at-end {
    margin-inline-start: auto;
  }
  .muted {
    color: var(--muted);
  }
  .in-small {
    color: var(--muted);
    font-size: 11px;
  }
  .tiny {
    color: var(--muted);
    font-size: 10px;
  }
  .plain-list {
    padding: 0;
    list-style: none;
  }
  .indented {
    margin: 2px 0;
    padding-inline-start: 22px;
  }
  .bare-button {
    border: 0;
    background: none;
  }
`;

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
  /* A number stays before its unit, in whatever direction the panel is read. */
  .figure {
    unicode-bidi: plaintext;
    color: var(--muted);
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .step-number {
    color: var(--muted);
    text-align: end;
    font-variant-numeric: tabular-nums;
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
  /* A row of a long list, placed by its index. */
  .placed {
    position: absolute;
    left: 0;
    right: 0;
    cursor: pointer;
    white-space: nowrap;

    &:hover {
      background: var(--sunken);
    }
    &[aria-selected='true'] {
      background: var(--select);
    }
  }
  h2 {
    margin: 2px 0 4px;
    font-size: 13px;
  }
  h3 {
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
      padding: 3px 0;
      cursor: pointer;
      color: var(--muted);
    }
  }
`;

/** The styles of a button that opens more buttons. */
export const popoverStyles: string = css`
  .popover {
    position: relative;
    flex: none;
  }
  .popover-list {
    position: absolute;
    inset-block-start: calc(100% + 2px);
    inset-inline-end: 0;
    z-index: 4;
    display: grid;
    min-width: 200px;
    max-height: 50vh;
    overflow: auto;
    padding: 4px;
    border: 1px solid var(--border);
    border-radius: 8px;
    background: var(--bg);
    box-shadow: 0 8px 30px rgb(0 0 0 / 0.3);
    font-size: 12px;
    white-space: nowrap;

    &[hidden] {
      display: none;
    }
    > * {
      min-height: 26px;
      padding: 3px 8px;
    }
    > button {
      border: 0;
      text-align: start;

      &:hover {
        background: var(--select);
      }
    }
    > :is(span, label) {
      justify-content: space-between;
      gap: 12px;
    }
    > [hidden] {
      display: none;
    }
  }
`;

export const tabListStyles: string = css`
  .tabs {
    display: flex;
    gap: 2px;
    padding: 0 6px;
    border-bottom: 1px solid var(--border);

    [role='tab'] {
      padding: 6px 10px;
      border: 0;
      border-bottom: 2px solid transparent;
      border-radius: 0;
      background: none;
      color: var(--muted);
    }
    [aria-selected='true'] {
      color: var(--text);
      border-bottom-color: var(--accent);
    }
  }
  @media (forced-colors: active) {
    .tabs [role='tab'] {
      border-bottom-color: Canvas;
    }
    .tabs [aria-selected='true'] {
      border-bottom-color: Highlight;
    }
  }
`;

export const treeStyles: string = css`
  .twisty {
    width: 10px;
  }
  .row {
    gap: 5px;
    padding: 0 10px;

    .key {
      color: var(--accent);

      &::after {
        content: ':';
        color: var(--muted);
      }
    }
    .value {
      &.object {
        color: var(--muted);
      }
      &:is(.number, .boolean) {
        color: var(--warn);
      }
      &.more {
        color: var(--accent);
        text-decoration: underline;
      }
    }
    &[data-null='true'] .value {
      padding: 0 4px;
      border: 1px dashed var(--border);
      color: var(--muted);
    }
    &[data-changed='true'] .value {
      background: var(--changed);
      border-radius: 3px;
    }
  }
  .whole {
    max-height: 35%;
    padding: 2px 10px;
    overflow: auto;
    border-top: 1px solid var(--border);
  }
`;
