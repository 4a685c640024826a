/** The frame: colours, launcher, dock, toolbar, tabs. */
export const dockStyles = `
:host { all: initial; }
/* Important here wins over important of the page, so that no rule of it can cover or hide the panel. */
:host([data-vitrine-devtools='docked']) {
  display: block !important; position: fixed !important; z-index: 2147483647 !important; inset: auto !important; margin: 0 !important;
  visibility: visible !important; opacity: 1 !important; transform: none !important; filter: none !important; contain: none !important;
}
:host([data-vitrine-devtools='embedded']) { display: block !important; height: 100%; }
:host([data-vitrine-devtools='embedded']) .root, :host([data-vitrine-devtools='embedded']) .theme { height: 100%; }
.theme {
  --bg: #ffffff; --sunken: #f4f5f4; --border: #d9dcd9; --text: #1b201e; --muted: #59625d;
  --accent: #0f766e; --on-accent: #ffffff; --danger: #b42318; --warn: #8a5a00; --select: #e0f0ed; --changed: #fff1c9;
  color-scheme: light; color: var(--text);
  font: 12px/1.45 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif;
}
@media (prefers-color-scheme: dark) {
  .theme:not([data-theme='light']) {
    --bg: #161a19; --sunken: #101312; --border: #303836; --text: #e6ebe8; --muted: #9aa6a1;
    --accent: #5eead4; --on-accent: #06231f; --danger: #ff9a8f; --warn: #f3c969; --select: #1b3834; --changed: #3d3413;
    color-scheme: dark;
  }
}
.theme[data-theme='dark'] {
  --bg: #161a19; --sunken: #101312; --border: #303836; --text: #e6ebe8; --muted: #9aa6a1;
  --accent: #5eead4; --on-accent: #06231f; --danger: #ff9a8f; --warn: #f3c969; --select: #1b3834; --changed: #3d3413;
  color-scheme: dark;
}
.theme *, .theme *::before { box-sizing: border-box; }
.theme :focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
button, select, input { font: inherit; color: inherit; }
button { cursor: pointer; padding: 2px 8px; border: 1px solid var(--border); border-radius: 5px; background: var(--bg); }
select, input { padding: 2px 6px; border: 1px solid var(--border); border-radius: 5px; background: var(--bg); }
code, pre { font-family: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, 'DejaVu Sans Mono', monospace; font-size: 11px; }
.launcher {
  position: fixed; z-index: 2147483647; display: grid; place-items: center; width: 38px; height: 38px; padding: 0;
  border: 0; border-radius: 50%; background: var(--accent); color: var(--on-accent); box-shadow: 0 2px 10px rgb(0 0 0 / 0.3);
}
.launcher.bottom-right { right: 16px; bottom: 16px; } .launcher.bottom-left { left: 16px; bottom: 16px; }
.launcher.top-right { right: 14px; top: 7px; } .launcher.top-left { left: 14px; top: 7px; }
.dock { position: fixed; z-index: 2147483647; display: flex; flex-direction: column; background: var(--bg); }
.dock.right { inset: 0 0 0 auto; width: min(var(--size), 100vw - 80px); border-left: 1px solid var(--border); }
.dock.left { inset: 0 auto 0 0; width: min(var(--size), 100vw - 80px); border-right: 1px solid var(--border); }
.dock.bottom { inset: auto 0 0 0; height: min(var(--size), 100vh - 80px); border-top: 1px solid var(--border); }
.dock.top { inset: 0 0 auto 0; height: min(var(--size), 100vh - 80px); border-bottom: 1px solid var(--border); }
.dock.embedded { position: relative; height: 100%; border: 1px solid var(--border); }
.splitter { position: absolute; z-index: 1; touch-action: none; }
.splitter:hover, .splitter:focus-visible { background: var(--accent); opacity: 0.5; }
.right > .splitter { inset: 0 auto 0 -3px; width: 6px; cursor: ew-resize; } .left > .splitter { inset: 0 -3px 0 auto; width: 6px; cursor: ew-resize; }
.bottom > .splitter { inset: -3px 0 auto 0; height: 6px; cursor: ns-resize; } .top > .splitter { inset: auto 0 -3px 0; height: 6px; cursor: ns-resize; }
@media (max-width: 719px) {
  .dock:not(.embedded) { inset: auto 0 0 0; width: auto; height: 60vh; border: 0; border-top: 1px solid var(--border); }
  .splitter { display: none; }
}
.toolbar { display: flex; align-items: center; gap: 8px; min-height: 34px; padding: 3px 6px 3px 10px; background: var(--sunken); border-bottom: 1px solid var(--border); }
.title { letter-spacing: -0.01em; } .spacer { flex: 1; } .plain { border: 0; background: none; }
.header { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; padding: 6px 10px; border-bottom: 1px solid var(--border); }
.agent { font-weight: 600; }
.chip { padding: 0 7px; border: 1px solid var(--border); border-radius: 999px; color: var(--muted); font-size: 11px; white-space: nowrap; }
.status-completed { color: var(--accent); border-color: currentColor; } .status-failed { color: var(--danger); border-color: currentColor; }
.status-stopped { color: var(--warn); border-color: currentColor; } .status-in-progress { color: var(--on-accent); background: var(--accent); border-color: transparent; }
.figure { color: var(--muted); font-variant-numeric: tabular-nums; white-space: nowrap; }
.bars { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 2px 12px; width: 100%; }
.bar { display: flex; align-items: center; gap: 6px; color: var(--muted); font-size: 11px; }
.bar-name { width: 44px; } .bar-text { font-variant-numeric: tabular-nums; white-space: nowrap; }
.bar-track { flex: 1; height: 4px; min-width: 24px; border-radius: 2px; background: var(--border); overflow: hidden; }
.bar-fill { display: block; height: 100%; background: var(--accent); }
[data-level='high'] .bar-fill { background: var(--warn); } [data-level='full'] .bar-fill { background: var(--danger); }
.tabs { display: flex; gap: 2px; padding: 0 6px; border-bottom: 1px solid var(--border); }
.tabs [role='tab'] { padding: 6px 10px; border: 0; border-bottom: 2px solid transparent; border-radius: 0; background: none; color: var(--muted); }
.tabs [aria-selected='true'] { color: var(--text); border-bottom-color: var(--accent); }
.tab-panel { flex: 1; min-height: 0; display: flex; flex-direction: column; }
@media (forced-colors: active) {
  .tabs [aria-selected='true'] { border-bottom-color: Highlight; } .tabs [role='tab'] { border-bottom-color: Canvas; }
  [role='option'][aria-selected='true'], [role='treeitem'][aria-selected='true'] { outline: 2px solid Highlight; outline-offset: -2px; }
  .bar-fill { background: Highlight; forced-color-adjust: none; } .bar-track { border: 1px solid CanvasText; }
}
@media (prefers-reduced-motion: reduce) { .theme * { animation: none !important; } }
`;
