import { type HubSource, type JournalRecord, type Recorder, sessionHub } from '@vitrine/core/inspect';
import { useMemo, useSyncExternalStore } from 'react';
import { createThrottle } from './create-throttle.ts';

/** All agents of the page that can be looked at. */
export function useHubSources(): readonly HubSource[] {
  const hub = sessionHub();
  return useSyncExternalStore(hub.subscribe, hub.sources, hub.sources);
}

/** What was recorded of an agent, its state included, at most ten times a second. */
export function useLive(recorder: Recorder, source: HubSource): JournalRecord {
  const live = useMemo(
    () =>
      createThrottle(
        (listener) => recorder.subscribe(source, listener),
        () => recorder.read(source),
        100,
      ),
    [recorder, source],
  );
  return useSyncExternalStore(live.subscribe, live.getSnapshot, live.getSnapshot);
}
