import { css } from '../kit/css.ts';

/** The styles of the command menu and of the hint of the page picker. */
export const commandStyles: string = css`
  .panel {
    position: relative;
    container: panel / inline-size;
  }
  .session {
    display: contents;
  }
  .commands-back {
    position: absolute;
    inset: 0;
    z-index: 3;
    display: flex;
    justify-content: center;
    align-items: flex-start;
    padding: 24px 12px;
    background: rgb(0 0 0 / 0.25);
  }
  .commands {
    display: flex;
    flex-direction: column;
    width: min(460px, 100%);
    max-height: 100%;
    border: 1px solid var(--border);
    border-radius: 9px;
    overflow: hidden;
    background: var(--bg);
    box-shadow: 0 8px 30px rgb(0 0 0 / 0.3);

    > input {
      padding: 8px 12px;
      border: 0;
      border-bottom: 1px solid var(--border);
      border-radius: 0;
      font-size: 13px;
    }
  }
  .command-list {
    overflow: auto;

    [role='option'] {
      padding: 5px 12px;
      overflow: hidden;
      text-overflow: ellipsis;
      white-space: nowrap;
      cursor: pointer;
    }
    [role='option']:hover,
    [aria-selected='true'] {
      background: var(--select);
    }
  }
  .picker {
    margin: 0;
    padding: 4px 10px;
    border-bottom: 1px solid var(--border);
    background: var(--select);
    color: var(--text);
  }
`;
