import { css } from '../../kit/css.ts';

/** The styles of the search in the state. */
export const stateStyles: string = css`
  .hits {
    margin: 4px 0;
    padding: 0;
    list-style: none;
    overflow: auto;
  }
  .hit {
    width: 100%;
    border: 0;
    border-radius: 0;
    text-align: left;
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;

    &:hover {
      background: var(--sunken);
    }
  }
  .path {
    color: var(--accent);
    font-family: var(--mono);
    font-size: 11px;
  }
`;
