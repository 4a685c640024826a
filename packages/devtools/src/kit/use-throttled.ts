import { type HubSource, type JournalRecord, type Recorder, sessionHub } from '@vitrine/inspect';
import { useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { PanelWindow } from './contexts.ts';

/** Minimum time between two announcements in milliseconds. */
const pause = 1000;

/**
 * Slows a value down for live regions, which screen readers announce on each change: it follows at most once a second.
 * @param about The subject of the value; a new subject is announced at once.
 */
export function useThrottled<Value>(value: Value, about: unknown): Value {
  const [shown, setShown] = useState({ value, about });
  const latest = useRef(value);
  // Set while rendering, so that the value of an old subject is not announced.
  if (shown.about !== about) setShown({ value, about });
  const isBehind = shown.value !== value;
  useEffect(() => {
    latest.current = value;
  }, [value]);
  useEffect(() => {
    if (!isBehind) return undefined;
    const timer = setTimeout(() => setShown({ value: latest.current, about }), pause);
    return () => clearTimeout(timer);
  }, [isBehind, about]);
  return shown.value;
}

/** A store of a frequently changing value, as `useSyncExternalStore` expects it. */
type Throttled<Value> = {
  readonly subscribe: (listener: () => void) => () => void;
  readonly getSnapshot: () => Value;
};

/** Publishes a frequently changing value at most once per interval; a change is published no later than that. */
export function createThrottle<Value>(
  subscribe: (listener: () => void) => () => void,
  read: () => Value,
  pause: () => number,
): Throttled<Value> {
  let value = read();
  return {
    getSnapshot: () => value,
    subscribe(listener) {
      let timer: ReturnType<typeof setTimeout> | null = null;
      const publish = (): void => {
        timer = null;
        value = read();
        listener();
      };
      const unsubscribe = subscribe(() => {
        timer ??= setTimeout(publish, pause());
      });
      value = read();
      return () => {
        unsubscribe();
        if (timer !== null) clearTimeout(timer);
      };
    },
  };
}

/** Milliseconds between two updates from the recorder, for a visible and for a hidden page. */
const pauses = { seen: 100, hidden: 250 } as const;

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
        () => (view?.closed === false && view.document.hidden ? pauses.hidden : pauses.seen),
      ),
    [recorder, source, view],
  );
  return useSyncExternalStore(live.subscribe, live.getSnapshot, live.getSnapshot);
}

/** Keeps the identity of a value while new ones are equal to it. */
export function useSettled<Value>(value: Value, isSame: (a: Value, b: Value) => boolean): Value {
  const [settled, setSettled] = useState(value);
  if (settled === value || isSame(settled, value)) return settled;
  // Set while rendering, so that no outdated frame is shown.
  setSettled(value);
  return value;
}
