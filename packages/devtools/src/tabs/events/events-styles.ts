import { css } from '../../kit/css.ts';

/** The styles of the event log. */
export const eventsStyles: string = css`
  .log {
    flex: 1;
  }
  .event {
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
  .event .figure {
    min-width: 72px;
    font-variant-numeric: tabular-nums;
  }
  .filter [aria-pressed='true'] {
    background: var(--accent);
    color: var(--on-accent);
  }
  .step-number {
    width: 22px;
    color: var(--muted);
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .event-type {
    font-family: var(--mono);
    font-size: 11px;
  }
  .event-summary {
    overflow: hidden;
    text-overflow: ellipsis;
    color: var(--muted);
  }
  .event[data-found='true'] {
    background: var(--select);
    outline: 1px solid var(--accent);
    outline-offset: -1px;
  }
`;
