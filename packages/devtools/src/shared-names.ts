// The names that both entries export as they are. The entries differ in the panel's functions: those of the main entry
// do nothing in production.
export {
  definePanelTab,
  type PanelFocus,
  type PanelTab,
  type PanelTabProps,
  type StepViewId,
} from './define-panel-tab.ts';
export type * from './options.ts';
export type { SomeTexts, Texts } from './texts.ts';
export type { AgentDevtoolsPlugin } from './tanstack-plugin.tsx';
