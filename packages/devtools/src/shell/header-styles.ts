import { css } from '../kit/css.ts';

/** The styles of the line above a session. */
const toolbarStyles: string = css`
  .toolbar {
    position: relative;
    z-index: 2;
    gap: 4px 8px;
    min-height: 32px;
    padding-inline: 10px 4px;
    white-space: nowrap;
    background: var(--sunken);
    border-bottom: 1px solid var(--border);

    :is(.icon, .popover-button) {
      min-width: 26px;
      height: 26px;
      padding: 0 4px;
      border: 0;
      background: none;

      &:hover {
        background: var(--select);
      }
    }
    .tail {
      display: flex;
      gap: 2px;
      margin-inline-start: auto;
    }
    .search ~ .tail {
      margin-inline-start: 0;
    }
  }
  :is(.toolbar, .filter, .graph-legend) [aria-pressed='true'] {
    background: var(--accent);
    color: var(--on-accent);
  }
  .agent {
    max-width: 240px;
    font-weight: 600;
  }
  .cases-button {
    padding: 0 6px;

    &[data-red='true'] {
      color: var(--danger);
    }
    .short {
      display: none;
    }
  }
  .choice {
    position: relative;
    min-width: 40px;
    max-width: 60%;
    display: flex;
    align-items: baseline;
    gap: 4px;
    padding: 2px 4px;
    margin-inline: -4px;
    border-radius: 5px;

    &:has(.agent) {
      flex-shrink: 1;
      min-width: 24px;
    }
    &:hover {
      background: var(--select);
    }
    &:focus-within {
      outline: 2px solid var(--accent);
      outline-offset: -2px;
    }
    /* It lies over the text, so that a short text opens a list of long names. */
    select {
      position: absolute;
      inset: 0;
      width: 100%;
      opacity: 0;
      cursor: pointer;
    }
    option {
      color: var(--text);
      background: var(--bg);
    }
    :is(.request, .about) {
      display: none;
      max-width: 260px;
      color: var(--muted);
    }
    /* It gives way before the name of the agent does. */
    .about {
      display: block;
      flex-shrink: 10000;
    }
  }
  /* A figure that has no room is left out whole: it wraps into a line that is not shown. */
  .figures {
    flex: 0 10000 auto;
    min-width: 0;
    height: 1lh;
    overflow: hidden;

    /* The first item of a line never wraps, so it is not a figure. */
    &::before {
      content: '';
      height: 1lh;
      margin-inline-end: -8px;
    }
    /* Tokens and money never give way: names do. */
    &.kept {
      flex-shrink: 0;
      flex-wrap: nowrap;
    }
  }
  .search {
    position: relative;
    flex: 0 0 26px;
    height: 24px;
    margin-inline-start: auto;

    &:has(input:is(:focus, :not(:placeholder-shown))) {
      flex: 1 1 150px;
      min-width: 110px;
      max-width: 320px;
    }
    svg {
      position: absolute;
      inset-block-start: calc(50% - 6px);
      inset-inline-start: 7px;
      color: var(--muted);
      pointer-events: none;
    }
    input {
      width: 100%;
      height: 100%;
      padding: 0;
      padding-inline-start: 25px;
      border-color: transparent;
      background: none;
      cursor: pointer;

      &:is(:focus, :not(:placeholder-shown)) {
        border-color: var(--border);
        background: var(--bg);
        cursor: text;
      }
    }
  }
`;

const resultStyles: string = css`
  .result {
    gap: 4px 8px;
    padding: 3px 10px;
    border-bottom: 1px solid var(--border);
  }
  .verdict {
    flex: 1 1 200px;
    margin: 0;
    padding-inline-start: 8px;
    border-inline-start: 3px solid var(--accent);
    overflow-wrap: anywhere;
    /* A long error is whole in the Why page. */
    display: -webkit-box;
    -webkit-box-orient: vertical;
    -webkit-line-clamp: 3;
    overflow: hidden;

    &[data-status='failed'] {
      border-color: var(--danger);
    }
    &:is([data-status='stopped'], [data-status='cut']) {
      border-color: var(--warn);
    }
  }
  .bars {
    column-gap: 3px;
    margin-top: -1px;
    padding: 0 10px;
  }
  .bar {
    flex: 1 1 24px;
    gap: 6px;
    /* Room for the pointer. */
    padding-bottom: 4px;

    &:not([data-level='low']) {
      order: 1;
      flex-basis: 40%;
      padding-block: 2px;
    }
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
    height: 3px;
    min-width: 16px;
    border-radius: 2px;
    background: var(--border);
    overflow: hidden;
  }
  .bar-fill {
    background: var(--accent);
  }
  .bar-held {
    background: repeating-linear-gradient(45deg, var(--warn) 0 2px, transparent 2px 4px);
  }
  [data-level='high'] .bar-fill {
    background: var(--warn);
  }
  [data-level='full'] .bar-fill {
    background: var(--danger);
  }
  .refusal {
    margin: 0;
    padding: 4px 10px;
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

/** The styles of a wide panel, and of one as narrow as a phone. */
const widthStyles: string = css`
  @container panel (max-width: 759px) {
    .agent {
      max-width: 130px;
    }
    .choice .about {
      max-width: 90px;
    }
    .cases-button {
      .whole {
        display: none;
      }
      .short {
        display: inline;
      }
    }
  }
  @container panel (min-width: 760px) {
    .choice .request {
      display: block;
    }
    /* A session is named after its first request. */
    .toolbar:has(.about) .request[data-first='true'] {
      display: none;
    }
  }
  /* As on a phone: the views are reached with the thumb. */
  @container panel (max-width: 430px) {
    .session > .tabs {
      order: 2;
      padding: 0;
      border-top: 1px solid var(--border);
      border-bottom: 0;

      [role='tab'] {
        flex: 1;
        min-height: 40px;
        border-top: 2px solid transparent;
        border-bottom: 0;
      }
      [aria-selected='true'] {
        border-top-color: var(--accent);
      }
    }
    .session > .moment {
      order: 1;
    }
    .choice .about {
      max-width: 50px;
    }
    .toolbar {
      min-height: 40px;
      gap: 4px 6px;

      :is(.icon, .popover-button) {
        min-width: 32px;
        height: 34px;
      }
      .search {
        flex-basis: 32px;
        height: 34px;
      }
    }
    .figures {
      gap: 6px;

      &::before {
        margin-inline-end: -6px;
      }
      [data-unknown='true'] {
        display: none;
      }
    }
  }
`;

/** The styles of what stands above the views of a session. */
export const headerStyles: string = [toolbarStyles, resultStyles, widthStyles].join('\n');
