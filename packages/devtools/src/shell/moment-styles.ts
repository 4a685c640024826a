import { css } from '../kit/css.ts';

/** The styles of the run and moment row, and of the search results. */
export const momentStyles: string = css`
  .bar-row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 4px 8px;
    padding: 4px 10px;
    border-bottom: 1px solid var(--border);

    > input {
      flex: 1 1 130px;
      min-width: 0;
      max-width: 260px;
      margin-left: auto;
    }
  }
  @container panel (max-width: 500px) {
    .bar-row > input {
      max-width: none;
    }
  }
  .moment {
    flex: 4 1 320px;
    display: flex;
    align-items: center;
    flex-wrap: wrap;
    gap: 4px 8px;
    min-width: 0;

    select {
      min-width: 0;
      max-width: 240px;
      text-overflow: ellipsis;
    }
    input {
      flex: 1 1 110px;
      min-width: 60px;
      padding: 0;
      border: 0;
      accent-color: var(--accent);
    }
    .moment-text {
      overflow: hidden;
      text-overflow: ellipsis;
      max-width: 100%;
    }
    &[data-past='true'] .moment-text {
      color: var(--warn);
    }
  }
  .found-count {
    padding: 2px 12px;
  }
  .found {
    position: relative;
    flex: 1;
    margin: 0;
    padding: 0;

    [role='option'] {
      position: absolute;
      left: 0;
      right: 0;
      padding: 2px 12px;
      overflow: hidden;
      white-space: nowrap;
      text-overflow: ellipsis;
      cursor: pointer;
    }
    [role='option']:hover,
    [aria-selected='true'] {
      background: var(--select);
    }
    .where {
      color: var(--accent);
      margin-right: 8px;
    }
  }
`;
