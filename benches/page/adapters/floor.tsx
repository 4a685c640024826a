import { type ReactNode, useSyncExternalStore } from 'react';
import { type Adapter, deltas, historyText } from '../scenario.ts';
import { Live, Old } from '../views.tsx';

/** The least that can be written by hand: a string that grows, and one component that shows it. */
export const floor: Adapter = (scenario) => {
  let text = '';
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const Stream = (): ReactNode => <Live text={useSyncExternalStore(subscribe, () => text)} />;
  const history = Array.from({ length: scenario.history }, (_, index) => (
    <Old key={index} text={historyText(index)} />
  ));
  return {
    App: () => (
      <>
        {history}
        <Stream />
      </>
    ),
    async start() {
      for await (const delta of deltas(scenario)) {
        text += delta;
        for (const listener of listeners) listener();
      }
    },
  };
};
