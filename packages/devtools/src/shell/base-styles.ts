import { css } from '../kit/css.ts';

/** Styles of the host element and of basic elements. */
export const baseStyles: string = css`
  :host {
    all: initial;
  }
  /* "!important" in the shadow root overrides "!important" of the page, so that no rule of the page can
     cover or hide the panel. */
  :host([data-vitrine-devtools='docked']) {
    display: block !important;
    position: fixed !important;
    z-index: 2147483647 !important;
    inset: auto !important;
    margin: 0 !important;
    visibility: visible !important;
    opacity: 1 !important;
    transform: none !important;
    filter: none !important;
    contain: none !important;
  }
  :host([data-vitrine-devtools='embedded']) {
    display: block !important;
    height: 100%;
  }
  :host([data-vitrine-devtools='window']) {
    display: block !important;
    height: 100%;
  }
  :host(:is([data-vitrine-devtools='embedded'], [data-vitrine-devtools='window'])) :is(.root, .theme) {
    height: 100%;
  }
  .theme *,
  .theme *::before {
    box-sizing: border-box;
  }
  .theme :focus-visible {
    outline: 2px solid var(--accent);
    outline-offset: -2px;
  }
  button,
  select,
  input {
    font: inherit;
    color: inherit;
    border: 1px solid var(--border);
    border-radius: 5px;
    background: var(--bg);
  }
  button {
    cursor: pointer;
    padding: 2px 8px;
  }
  select,
  input {
    padding: 2px 6px;
  }
  code,
  pre {
    font-family: var(--mono);
    font-size: 11px;
  }
  @media (forced-colors: active) {
    :is([role='option'], [role='treeitem'])[aria-selected='true'] {
      outline: 2px solid Highlight;
      outline-offset: -2px;
    }
  }
  @media (prefers-reduced-motion: reduce) {
    .theme * {
      animation: none !important;
    }
  }
`;
