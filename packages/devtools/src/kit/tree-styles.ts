import { css } from './css.ts';

/** The styles of the object tree. */
export const treeStyles: string = css`
  .tree {
    flex: 1;
    font-family: var(--mono);
    font-size: 11px;
  }
  .row {
    position: absolute;
    left: 0;
    right: 0;
    display: flex;
    align-items: center;
    gap: 5px;
    padding: 0 10px;
    cursor: pointer;
    white-space: nowrap;

    &:hover {
      background: var(--sunken);
    }
    &[aria-selected='true'] {
      background: var(--select);
    }
    .twisty {
      flex: none;
      width: 10px;
      color: var(--muted);
    }
    .key {
      color: var(--accent);

      &::after {
        content: ':';
        color: var(--muted);
      }
    }
    .value {
      overflow: hidden;
      text-overflow: ellipsis;

      &.object {
        color: var(--muted);
      }
      &:is(.number, .boolean) {
        color: var(--warn);
      }
      &.more {
        color: var(--accent);
        text-decoration: underline;
      }
    }
    &[data-null='true'] .value {
      padding: 0 4px;
      border: 1px dashed var(--border);
      color: var(--muted);
    }
    &[data-changed='true'] .value {
      background: var(--changed);
      border-radius: 3px;
    }
  }
  .whole {
    flex: none;
    max-height: 35%;
    padding: 2px 10px;
    overflow: auto;
    border-top: 1px solid var(--border);
  }
`;
