import { css } from '../kit/css.ts';

const dark = css`
  --bg: #161a19;
  --sunken: #101312;
  --border: #303836;
  --text: #e6ebe8;
  --muted: #9aa6a1;
  --accent: #5eead4;
  --on-accent: #06231f;
  --danger: #ff9a8f;
  --warn: #f3c969;
  --select: #1b3834;
  --changed: #3d3413;
  --bar-wait: #56625d;
  --bar-stream: #2dd4bf;
  --bar-tool: #8b9cf9;
  color-scheme: dark;
`;

/** The colours of the light and dark theme, and the fonts. */
export const themes: string = css`
  .theme {
    --bg: #ffffff;
    --sunken: #f4f5f4;
    --border: #d9dcd9;
    --text: #1b201e;
    --muted: #59625d;
    --accent: #0f766e;
    --on-accent: #ffffff;
    --danger: #b42318;
    --warn: #8a5a00;
    --select: #e0f0ed;
    --changed: #fff1c9;
    --bar-wait: #b9c2bd;
    --bar-stream: #0f8f84;
    --bar-tool: #5b6bd6;
    --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace;
    color-scheme: light;
    color: var(--text);
    font:
      12px/1.45 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'DejaVu Sans',
      sans-serif;
  }
  @media (prefers-color-scheme: dark) {
    .theme:not([data-theme='light']) {
      ${dark}
    }
  }
  .theme[data-theme='dark'] {
    ${dark}
  }
`;
