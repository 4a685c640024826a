import { css } from '../kit/css.ts';

/** The styles of the tab list and its panel. */
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
  .tab-panel {
    flex: 1;
    min-height: 0;
    display: flex;
    flex-direction: column;
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
