import { type HubSource, type JournalRecord, type Recorder, sessionHub } from '@vitrine/core/inspect';
import { useContext, useMemo, useSyncExternalStore } from 'react';
import { createThrottle } from './create-throttle.ts';
import { PanelWindow } from './panel-window.ts';

/** Milliseconds between two looks at what is recorded: while somebody can see them, and while nobody can. */
const pauses = { seen: 100, hidden: 250 } as const;

/** All agents of the page that can be looked at. */
export function useHubSources(): readonly HubSource[] {
  const hub = sessionHub();
  return useSyncExternalStore(hub.subscribe, hub.sources, hub.sources);
}

/** What was recorded of an agent, its state included, at most ten times a second, and four where nobody can see it. */
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
