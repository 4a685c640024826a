import type { PanelTab } from '../define-panel-tab.ts';
import { eventsTab } from './events/events-tab.tsx';
import { graphTab } from './graph/graph-tab.tsx';
import { runTab } from './run/run-tab.tsx';
import { traceTab } from './trace/trace-tab.tsx';

/** The views of the panel in their order. */
export const panelTabs: readonly Required<PanelTab>[] = [runTab, graphTab, eventsTab, traceTab];
