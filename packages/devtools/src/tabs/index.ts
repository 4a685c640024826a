import type { PanelTab } from '../define-panel-tab.ts';
import type { Texts } from '../texts.ts';
import { causeTab } from './cause/cause-tab.tsx';
import { eventsTab } from './events/events-tab.tsx';
import { graphTab } from './graph/graph-tab.tsx';
import { runTab } from './run/run-tab.tsx';
import { runsTab } from './runs/runs-tab.tsx';
import { traceTab } from './trace/trace-tab.tsx';

export const panelTabs: readonly Required<PanelTab>[] = [
  runTab,
  graphTab,
  eventsTab,
  traceTab,
  causeTab,
  runsTab,
];

/** The views of the panel with their names in these texts. */
export function panelTabsIn({ tabs }: Texts): readonly Required<PanelTab>[] {
  const labels: Readonly<Record<string, string>> = tabs;
  return panelTabs.map((tab) => ({ ...tab, label: labels[tab.id] ?? tab.label }));
}
