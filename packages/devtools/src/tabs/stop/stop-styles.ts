import { css } from '../../kit/css.ts';

/** The styles of the questions, signals and budget. */
export const stopStyles: string = css`
  .branches,
  .checks {
    margin: 2px 0;
    padding-left: 22px;
    color: var(--muted);
  }
  .branches li {
    padding: 1px 0;

    .answer {
      color: var(--muted);
    }
    &[data-taken='true'] {
      color: var(--text);
      font-weight: 600;

      .answer {
        color: var(--accent);
      }
    }
  }
  .signal {
    margin: 6px 0;
    padding: 4px 10px 6px;
    border: 1px solid var(--border);
    border-radius: 7px;

    p {
      display: flex;
      flex-wrap: wrap;
      align-items: center;
      gap: 4px 8px;
      margin: 2px 0;
      overflow-wrap: anywhere;
    }
    .figure {
      margin-left: auto;
    }
    &[data-won='true'] {
      border-color: var(--accent);
    }
  }
  .rank {
    display: grid;
    place-items: center;
    width: 18px;
    height: 18px;
    border-radius: 50%;
    background: var(--sunken);
    color: var(--muted);
    font-size: 10px;
  }
  .budget {
    border-collapse: collapse;

    th {
      text-align: left;
      font-weight: 400;
      color: var(--muted);
    }
    th,
    td {
      padding: 1px 12px 1px 0;
      font-variant-numeric: tabular-nums;
    }
  }
`;
