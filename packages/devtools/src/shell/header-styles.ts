import { css } from '../kit/css.ts';

/** The styles of the toolbar, the status line of the run and the budget bars. */
export const headerStyles: string = css`
  .toolbar {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px;
    min-height: 34px;
    padding: 3px 6px 3px 10px;
    white-space: nowrap;
    background: var(--sunken);
    border-bottom: 1px solid var(--border);

    /* A long name must not push the close button out of view. */
    select[aria-label='Session'] {
      flex: 1 1 96px;
      min-width: 0;
      max-width: max-content;
    }
    .title {
      margin-right: 4px;
      letter-spacing: -0.01em;
    }
    .spacer {
      flex: 1;
    }
    .plain {
      border: 0;
      background: none;
    }
    [aria-pressed='true'] {
      background: var(--accent);
      color: var(--on-accent);
    }
  }
  .header {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
    padding: 6px 10px;
    border-bottom: 1px solid var(--border);
  }
  .verdict {
    width: 100%;
    margin: 0;
    padding: 4px 8px;
    border-left: 3px solid var(--accent);
    background: var(--sunken);
    font-size: 13px;
    overflow-wrap: anywhere;

    &[data-status='failed'] {
      border-color: var(--danger);
    }
    &[data-status='stopped'] {
      border-color: var(--warn);
    }
  }
  .agent {
    font-weight: 600;
  }
  .chip.status-completed {
    color: var(--accent);
    border-color: currentColor;
  }
  .chip.status-failed {
    color: var(--danger);
    border-color: currentColor;
  }
  .chip.status-stopped {
    color: var(--warn);
    border-color: currentColor;
  }
  .chip.status-in-progress {
    color: var(--on-accent);
    background: var(--accent);
    border-color: transparent;
  }
  .bars {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(150px, 1fr));
    gap: 2px 12px;
    width: 100%;
  }
  .bar {
    display: flex;
    align-items: center;
    gap: 6px;
    color: var(--muted);
    font-size: 11px;
  }
  .bar-name {
    width: 48px;
  }
  .bar-text {
    font-variant-numeric: tabular-nums;
    white-space: nowrap;
  }
  .held {
    color: var(--warn);
  }
  .bar-track {
    flex: 1;
    display: flex;
    height: 4px;
    min-width: 24px;
    border-radius: 2px;
    background: var(--border);
    overflow: hidden;
  }
  .bar-fill {
    display: block;
    height: 100%;
    background: var(--accent);
  }
  .bar-held {
    display: block;
    height: 100%;
    background: repeating-linear-gradient(45deg, var(--warn) 0 2px, transparent 2px 4px);
  }
  [data-level='high'] .bar-fill {
    background: var(--warn);
  }
  [data-level='full'] .bar-fill {
    background: var(--danger);
  }
  @container panel (max-width: 500px) {
    .toolbar .title {
      display: none;
    }
  }
  @container panel (min-width: 860px) {
    .header .bars {
      width: auto;
      flex: 1;
      margin-left: 12px;
    }
  }
  @media (forced-colors: active) {
    .bar-fill {
      background: Highlight;
      forced-color-adjust: none;
    }
    .bar-track {
      border: 1px solid CanvasText;
    }
  }
`;
