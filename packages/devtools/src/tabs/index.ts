import { eventsTab } from './events/events-tab.tsx';
import { stateTab } from './state/state-tab.tsx';
import { stepsTab } from './steps/steps-tab.tsx';
import { stopTab } from './stop/stop-tab.tsx';
import { traceTab } from './trace/trace-tab.tsx';
import type { PanelTab } from '../define-panel-tab.ts';

/** The tabs of the panel, in the order in which they stand. */
export const panelTabs: readonly Required<PanelTab>[] = [stepsTab, stateTab, stopTab, eventsTab, traceTab];
