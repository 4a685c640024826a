import { css } from '../../kit/css.ts';

export const forkStyles: string = css`
  .planned {
    margin: 0;
    padding-left: 20px;
  }
  .fork-held {
    gap: 6px;
    margin-block-end: 8px;
    padding: 6px 8px;
    border: 1px solid var(--border);
    border-radius: 4px;
  }
  .compared {
    overflow-x: auto;

    table {
      border-collapse: collapse;
      font-size: 12px;
    }
    caption {
      text-align: start;
      font-weight: 600;
    }
    :is(th, td) {
      min-width: 150px;
      max-width: 240px;
      padding: 3px 8px;
      text-align: start;
      vertical-align: top;
      overflow-wrap: anywhere;
      border-bottom: 1px solid var(--border);
    }
  }
`;
