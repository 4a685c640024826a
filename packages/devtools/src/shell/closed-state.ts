// The module of what a closed panel tells, which is loaded when the page is idle.
import { AgentState } from '@vitrine/core';
import { type Detector, type HubSource, type Recorder, sessionHub } from '@vitrine/inspect';
import { diagnoseLate } from '../tabs/findings/findings.ts';

/** The state of the sessions of a page in short: the faults of their last runs, and whether a run is paused. */
export type ClosedState = { readonly faults: number; readonly isPaused: boolean };

/** Events after which the state may be another one. */
const ends: readonly string[] = ['execution-start', 'execution-end', 'break-hit', 'break-release'];

/** Follows the sessions of a page, and reports their state when it changes. @returns the function that ends it */
export function watchClosed(
  recorder: Recorder,
  detectors: readonly Detector[] | undefined,
  onState: (state: ClosedState) => void,
): () => void {
  const hub = sessionHub();
  const end = new AbortController();
  const known = new Map<HubSource, ClosedState & { readonly look: number; readonly leave: () => void }>();

  let looks = 0;
  async function look(source: HubSource): Promise<void> {
    const number = ++looks;
    const record = recorder.read(source);
    const { state } = record;
    const isPaused = AgentState.breakHits(state).length > 0;
    let faults = 0;
    if (state.execution !== null && AgentState.status(state) !== 'in-progress') {
      const found = await diagnoseLate(record, source, { detectors, signal: end.signal });
      const { executionId } = state.execution;
      const ofRun = found.filter(({ address }) => address.executionId === executionId);
      faults = ofRun.filter(({ severity }) => severity === 'fault').length;
    }
    const before = known.get(source);
    // A look that took longer than a later one tells what is over.
    if (before === undefined || before.look > number || end.signal.aborted) return;
    known.set(source, { ...before, faults, isPaused, look: number });
    report();
  }
  // A source that cannot be read tells nothing.
  const lookAt = (source: HubSource): void => void look(source).catch(() => undefined);

  function report(): void {
    const all = [...known.values()];
    onState({
      faults: all.reduce((sum, { faults }) => sum + faults, 0),
      isPaused: all.some(({ isPaused }) => isPaused),
    });
  }

  function follow(): void {
    const sources = hub.sources();
    for (const [source, { leave }] of known)
      if (!sources.includes(source)) {
        leave();
        known.delete(source);
      }
    for (const source of sources) {
      if (known.has(source)) continue;
      const leave = source.journal.subscribe(({ type, path }) => {
        if (path.length === 0 && ends.includes(type)) lookAt(source);
      });
      known.set(source, { faults: 0, isPaused: false, look: 0, leave });
      lookAt(source);
    }
    report();
  }

  follow();
  const leaveHub = hub.subscribe(follow);
  return () => {
    end.abort();
    leaveHub();
    for (const { leave } of known.values()) leave();
  };
}
