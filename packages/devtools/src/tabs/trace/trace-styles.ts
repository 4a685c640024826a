import { css } from '../../kit/css.ts';

/** The styles of the Trace tab. */
export const traceStyles: string = css`
  section {
    margin: 0 0 14px;
    padding: 0 0 10px;
    border-bottom: 1px solid var(--border);
  }
  h4 {
    margin: 6px 0 2px;
  }
  .taken-out {
    max-height: 180px;
    overflow: auto;
    margin: 4px 0;
    padding-left: 18px;
  }
`;
