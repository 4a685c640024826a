import { css } from '../kit/css.ts';
import { themes } from './themes.ts';

const baseStyles: string = css`
  /* "!important" in the shadow root overrides "!important" of the page, so that no rule of the page can
     cover, hide or turn the panel. "all" leaves out the direction. */
  :host {
    all: initial;
  }
  :host([data-vitrine-devtools]) {
    all: initial !important;
    direction: ltr !important;
    unicode-bidi: isolate !important;
    /* The initial value follows that of the page. */
    user-select: text !important;
  }
  :host([data-vitrine-devtools='docked']) {
    display: block !important;
    position: fixed !important;
    z-index: 2147483647 !important;
    inset: auto !important;
    margin: 0 !important;
    zoom: var(--undo-zoom, 1) !important;
  }
  :host(:is([data-vitrine-devtools='embedded'], [data-vitrine-devtools='window'])) {
    display: block !important;
    height: 100% !important;
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
  /* The smallest target that everybody can hit. */
  :is(button, select) {
    min-width: 24px;
    min-height: 24px;
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
  pre,
  .mono {
    font-family: var(--mono);
    font-size: 11px;
  }
  /* Texts of the application may run in the other direction than those of the panel. */
  code {
    unicode-bidi: isolate;
  }
  pre {
    unicode-bidi: plaintext;
    text-align: start;
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

/** The styles of the button, of the dock sides and of the splitter. */
const dockStyles: string = css`
  .launcher {
    position: fixed;
    z-index: 2147483647;
    display: grid;
    place-items: center;
    width: 38px;
    height: 38px;
    padding: 0;
    border: 0;
    border-radius: 50%;
    background: var(--accent);
    color: var(--on-accent);
    box-shadow: 0 2px 10px rgb(0 0 0 / 0.3);

    &.bottom-right {
      inset: auto 16px 16px auto;
    }
    &.bottom-left {
      inset: auto auto 16px 16px;
    }
    &.top-right {
      inset: 7px 14px auto auto;
    }
    &.top-left {
      inset: 7px auto auto 14px;
    }
    &[data-paused='true'] {
      background: var(--warn);
    }
    &[data-fault='true'] {
      background: var(--danger);
      color: var(--bg);
    }
  }
  .launcher-count {
    position: absolute;
    inset-block-start: -5px;
    inset-inline-end: -5px;
    min-width: 18px;
    padding: 2px 5px;
    border-radius: 9px;
    background: var(--bg);
    color: var(--text);
    border: 1px solid var(--border);
    font: 700 11px/1 var(--mono);
  }
  .dock {
    position: fixed;
    z-index: 2147483647;
    display: flex;
    flex-direction: column;
    background: var(--bg);

    &.right {
      inset: 0 0 0 auto;
      width: min(var(--size), 100vw - 80px);
      border-left: 1px solid var(--border);
    }
    &.left {
      inset: 0 auto 0 0;
      width: min(var(--size), 100vw - 80px);
      border-right: 1px solid var(--border);
    }
    &.bottom {
      inset: auto 0 0 0;
      height: min(var(--size), 100vh - 80px);
      border-top: 1px solid var(--border);
    }
    &.top {
      inset: 0 0 auto 0;
      height: min(var(--size), 100vh - 80px);
      border-bottom: 1px solid var(--border);
    }
    &:is(.embedded, .window) {
      position: relative;
      height: 100%;
    }
    &.embedded {
      border: 1px solid var(--border);
    }
  }
  .splitter {
    position: absolute;
    z-index: 1;
    touch-action: none;

    &:hover,
    &:focus-visible {
      background: var(--accent);
      opacity: 0.5;
    }
    .right > & {
      inset: 0 auto 0 -3px;
      width: 6px;
      cursor: ew-resize;
    }
    .left > & {
      inset: 0 -3px 0 auto;
      width: 6px;
      cursor: ew-resize;
    }
    .bottom > & {
      inset: -3px 0 auto 0;
      height: 6px;
      cursor: ns-resize;
    }
    .top > & {
      inset: auto 0 -3px 0;
      height: 6px;
      cursor: ns-resize;
    }
  }
  @media (max-width: 719px) {
    .dock:not(.embedded, .window) {
      inset: auto 0 0 0;
      width: auto;
      height: 75vh;
      border: 0;
      border-top: 1px solid var(--border);
    }
    /* On narrow screens the panel is a bottom sheet without a dock side. */
    .dock:not(.embedded, .window) .placing,
    .splitter {
      display: none;
    }
  }
`;

/** The styles of the frame, present while the panel is closed. */
export const frameStyles: string = [baseStyles, themes, dockStyles].join('\n');
