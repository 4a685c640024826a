import { type AgentSession, type AgentSessionSnapshot, sessionHub } from '@vitrine/core';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import type { Recorder, Recording } from './recorder.ts';

/** All sessions of the page. */
export function useHubSessions(): readonly AgentSession[] {
  const hub = sessionHub();
  return useSyncExternalStore(hub.subscribe, hub.sessions, hub.sessions);
}

/** The snapshot of a session, at most once per frame even when the session publishes every change. */
export function useSessionSnapshot(session: AgentSession): AgentSessionSnapshot {
  const [snapshot, setSnapshot] = useState(session.getSnapshot);
  useEffect(() => {
    let frame: number | null = null;
    const update = (): void => {
      frame = null;
      setSnapshot(session.getSnapshot());
    };
    const unsubscribe = session.subscribe(() => {
      frame ??= requestAnimationFrame(update);
    });
    update();
    return () => {
      unsubscribe();
      if (frame !== null) cancelAnimationFrame(frame);
    };
  }, [session]);
  return snapshot;
}

/** What was recorded of a session, at most ten times a second. */
export function useRecording(recorder: Recorder, session: AgentSession): Recording {
  const read = useCallback(() => recorder.read(session), [recorder, session]);
  const [recording, setRecording] = useState(read);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | null = null;
    const update = (): void => {
      timer = null;
      setRecording(read());
    };
    update();
    const unsubscribe = recorder.subscribe(() => {
      timer ??= setTimeout(update, 100);
    });
    return () => {
      unsubscribe();
      if (timer !== null) clearTimeout(timer);
    };
  }, [recorder, read]);
  return recording;
}
