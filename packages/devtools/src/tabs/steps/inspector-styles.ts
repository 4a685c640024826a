import { css } from '../../kit/css.ts';

export const inspectorStyles: string = css`
  .inspector {
    min-width: 0;
  }
  /* One line, so that the pages below stay where they are. */
  .inspector-head {
    min-height: 32px;
    padding: 0 12px;
    white-space: nowrap;

    h2 {
      flex: none;
      margin: 0;
    }
    .step-facts {
      flex: 1 1 0;
    }
  }
  .back {
    display: none;
  }
  @container (max-width: 430px) {
    .back {
      display: block;
      min-height: 32px;
    }
    :has(> .back) {
      gap: 4px;
      padding: 0 6px;
    }
    /* There is room for half a number; the calls of the step say their times. */
    .step-facts {
      visibility: hidden;
    }
  }
  .inspector > .error-line {
    margin: 2px 12px;
  }
  .copy {
    gap: 6px;
    font-size: 11px;
  }
  .item[data-found='true'] {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: 5px;
    background: var(--select);
  }
  .message {
    content-visibility: auto;
    contain-intrinsic-block-size: auto 360px;
    margin: 4px 0 8px;
    padding-inline-start: 8px;
    border-inline-start: 2px solid var(--border);
  }
  /* Its margin does not fall together with that of a message that is laid out by itself. */
  .message > :last-child {
    margin-block-end: 0;
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

    dd {
      margin: 0;
      font-variant-numeric: tabular-nums;
      overflow-wrap: anywhere;
    }
  }
  .raw-events {
    height: 340px;
    border: 1px solid var(--border);
  }
  .state-search {
    width: 100%;
    margin: 2px 0 6px;
  }
  .state-tree {
    height: max(340px, 70%);
    border: 1px solid var(--border);
    border-radius: 5px;
  }
  .history li {
    overflow-wrap: anywhere;
  }
`;

/** The common styles of the rows and views of steps. */
export const stepsStyles: string = css`
  .step-type {
    font-size: 11px;

    &.error {
      color: var(--danger);
    }
    &.final-response {
      color: var(--accent);
    }
    &:is(.running, .interrupted, .waiting) {
      color: var(--warn);
    }
  }
  .tool {
    margin: 6px 0;
    padding: 4px 10px 6px;
    border: 1px solid var(--border);
    border-radius: 7px;

    &:is(
      [data-status='failed'],
      [data-status='interrupted'],
      [data-status='rejected'],
      [data-status='blocked'],
      [data-status='stopped']
    ) {
      border-color: var(--danger);
    }
  }
  .tool-head {
    margin: 2px 0;
  }
  .child-step {
    margin-inline-start: 10px;
    padding-inline-start: 8px;
    border-inline-start: 2px solid var(--border);

    p {
      margin: 4px 0;
    }
  }
`;
