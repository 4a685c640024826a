import { css } from '../../kit/css.ts';

/** The list of steps and the one that is looked at: beside each other where the panel is wide. */
export const stepsStyles: string = css`
  .split {
    flex: 1;
    min-height: 0;
    display: flex;
    flex-direction: column;
  }
  .list {
    flex: 0 1 auto;
    max-height: 38%;
    min-height: 64px;
    border-bottom: 1px solid var(--border);
  }
  .dock:is(.bottom, .top) & .split {
    flex-direction: row;
  }
  .dock:is(.bottom, .top) & .list {
    width: 40%;
    max-height: none;
    border-bottom: 0;
    border-right: 1px solid var(--border);
  }
  .step-row {
    position: absolute;
    left: 0;
    right: 0;
    display: flex;
    align-items: center;
    gap: 8px;
    padding: 0 10px;
    cursor: pointer;
    white-space: nowrap;

    &:hover {
      background: var(--sunken);
    }
    &[aria-selected='true'] {
      background: var(--select);
    }
  }
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
    &[data-live='true'] {
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
  .messages {
    margin: 4px 0;
    padding: 0;
    list-style: none;
    overflow: auto;

    li {
      padding: 2px 0;
      overflow-wrap: anywhere;
    }
  }
`;
