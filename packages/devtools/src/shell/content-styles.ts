/** What stands inside the tabs. */
export const contentStyles = `
.fill, .split { flex: 1; min-height: 0; display: flex; flex-direction: column; }
.scroll { overflow: auto; min-height: 0; }
.empty { margin: 0; padding: 18px 14px; color: var(--muted); }
.facts { margin: 2px 0; color: var(--muted); }
.error-line { margin: 4px 0; color: var(--danger); overflow-wrap: anywhere; }
.filter { display: flex; gap: 6px; padding: 6px; border-bottom: 1px solid var(--border); } .filter input { flex: 1; min-width: 0; }
.list { flex: 0 1 auto; max-height: 38%; min-height: 64px; border-bottom: 1px solid var(--border); }
.dock.bottom .split, .dock.top .split { flex-direction: row; }
.dock.bottom .list, .dock.top .list { width: 40%; max-height: none; border-bottom: 0; border-right: 1px solid var(--border); }
.step-row, .row, .event { position: absolute; left: 0; right: 0; display: flex; align-items: center; gap: 8px; padding: 0 10px; cursor: pointer; white-space: nowrap; }
.step-row:hover, .row:hover { background: var(--sunken); }
.step-row[aria-selected='true'], .row[aria-selected='true'] { background: var(--select); }
.step-number { width: 22px; color: var(--muted); text-align: right; font-variant-numeric: tabular-nums; }
.step-type { font-size: 11px; } .step-type.error { color: var(--danger); } .step-type.final-response { color: var(--accent); }
.step-type[data-live='true'] { color: var(--warn); }
.step-tools { flex: 1; overflow: hidden; text-overflow: ellipsis; color: var(--muted); font-family: ui-monospace, Menlo, 'DejaVu Sans Mono', monospace; font-size: 11px; }
.detail { flex: 1; padding: 8px 12px 24px; }
h3 { margin: 2px 0 4px; font-size: 13px; } h4 { margin: 10px 0 3px; color: var(--muted); font-size: 11px; font-weight: 600; }
pre { margin: 2px 0 6px; padding: 6px 8px; max-height: 320px; overflow: auto; border-radius: 5px; background: var(--sunken); white-space: pre-wrap; overflow-wrap: anywhere; }
.tool, .signal { margin: 6px 0; padding: 4px 10px 6px; border: 1px solid var(--border); border-radius: 7px; }
.tool-head { display: flex; align-items: center; gap: 8px; margin: 2px 0; } .tool-head .figure { margin-left: auto; }
.tool[data-status='failed'], .tool[data-status='interrupted'], .tool[data-status='rejected'] { border-color: var(--danger); }
.section { margin: 6px 0; } .section summary { cursor: pointer; color: var(--muted); }
.child-step { margin-left: 10px; padding-left: 8px; border-left: 2px solid var(--border); } .child-step p { margin: 4px 0; }
.messages, .hits { margin: 4px 0; padding: 0; list-style: none; overflow: auto; } .messages li { padding: 2px 0; overflow-wrap: anywhere; }
.hit { width: 100%; border: 0; border-radius: 0; text-align: left; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; } .hit:hover { background: var(--sunken); }
.path { color: var(--accent); font-family: ui-monospace, Menlo, 'DejaVu Sans Mono', monospace; font-size: 11px; }
.tree { flex: 1; font-family: ui-monospace, Menlo, 'DejaVu Sans Mono', monospace; font-size: 11px; }
.row { gap: 5px; } .twisty { flex: none; width: 10px; color: var(--muted); }
.key { color: var(--accent); } .key::after { content: ':'; color: var(--muted); }
.value { overflow: hidden; text-overflow: ellipsis; } .value.object { color: var(--muted); } .value.number, .value.boolean { color: var(--warn); } .value.more { color: var(--accent); text-decoration: underline; }
.row[data-null='true'] .value { padding: 0 4px; border: 1px dashed var(--border); color: var(--muted); }
.row[data-changed='true'] .value { background: var(--changed); border-radius: 3px; }
.whole { flex: none; max-height: 35%; margin: 0; border-top: 1px solid var(--border); border-radius: 0; }
.verdict { margin: 2px 0 6px; padding: 8px 10px; border-left: 3px solid var(--accent); background: var(--sunken); font-size: 13px; }
.branches, .checks { margin: 2px 0; padding-left: 22px; color: var(--muted); } .branches li { padding: 1px 0; }
.branches [data-taken='true'] { color: var(--text); font-weight: 600; } .answer { color: var(--muted); } [data-taken='true'] .answer { color: var(--accent); }
.signal p { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; margin: 2px 0; overflow-wrap: anywhere; } .signal[data-won='true'] { border-color: var(--accent); }
.signal .figure { margin-left: auto; } .rank { display: grid; place-items: center; width: 18px; height: 18px; border-radius: 50%; background: var(--sunken); color: var(--muted); font-size: 10px; }
.budget { border-collapse: collapse; } .budget th { text-align: left; font-weight: 400; color: var(--muted); } .budget th, .budget td { padding: 1px 12px 1px 0; font-variant-numeric: tabular-nums; }
.log { flex: 1; } .event { cursor: default; } .event-type { font-family: ui-monospace, Menlo, 'DejaVu Sans Mono', monospace; font-size: 11px; } .event-summary { overflow: hidden; text-overflow: ellipsis; color: var(--muted); }
`;
