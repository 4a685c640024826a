import { css } from '../../kit/css.ts';

/** The common styles of the rows and views of steps. */
export const stepsStyles: string = css`
  .step-number {
    width: 22px;
    color: var(--muted);
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
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
  .step-tools {
    flex: 1;
    overflow: hidden;
    text-overflow: ellipsis;
    color: var(--muted);
    font-family: var(--mono);
    font-size: 11px;
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
    display: flex;
    align-items: center;
    gap: 8px;
    margin: 2px 0;

    .figure {
      margin-left: auto;
    }
  }
  .child-step {
    margin-left: 10px;
    padding-left: 8px;
    border-left: 2px solid var(--border);

    p {
      margin: 4px 0;
    }
  }
`;
