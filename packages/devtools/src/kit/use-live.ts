import { type HubSource, type JournalRecord, type Recorder, sessionHub } from '@vitrine/core/inspect';
import { useContext, useMemo, useSyncExternalStore } from 'react';
import { createThrottle } from './create-throttle.ts';
import { PanelWindow } from './panel-window.ts';

/** Milliseconds between two updates from the recorder, for a visible and for a hidden page. */
const pauses = { seen: 100, hidden: 250 } as const;

/** Returns all sources of the page. */
export function useHubSources(): readonly HubSource[] {
  const hub = sessionHub();
  return useSyncExternalStore(hub.subscribe, hub.sources, hub.sources);
}

/**
 * Returns the record of a source with its state. It updates at most ten times a second, and four times
 * while the page is hidden.
 */
export function useLive(recorder: Recorder, source: HubSource): JournalRecord {
  const view = useContext(PanelWindow);
  const live = useMemo(
    () =>
      createThrottle(
        (listener) => recorder.subscribe(source, listener),
        () => recorder.read(source),
        () => (isHidden(view) ? pauses.hidden : pauses.seen),
      ),
    [recorder, source, view],
  );
  return useSyncExternalStore(live.subscribe, live.getSnapshot, live.getSnapshot);
}

function isHidden(view: Window | null): boolean {
  return view !== null && !view.closed && view.document.hidden;
}
