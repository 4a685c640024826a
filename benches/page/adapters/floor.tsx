import { type ReactNode, useSyncExternalStore } from 'react';
import { historyText } from '../../stream-script.ts';
import { type Adapter, upstreamOf } from '../adapter.ts';
import { history, Row, type RowMessage } from '../row.tsx';
import { readDeltas } from './read-deltas.ts';

/** The least that can be written by hand: a string that grows, shown at every delta. */
export const floor: Adapter = (params) => makeFloor(params, (notify) => ({ changed: notify, ended: notify }));

/** The same, shown once a frame: the least that an application which cares pays. All of a page share a frame. */
export const floorFrame: Adapter = (params) =>
  makeFloor(params, (notify) => ({
    changed() {
      if (waiting.size === 0) requestAnimationFrame(showWaiting);
      waiting.add(notify);
    },
    ended: notify,
  }));

const waiting = new Set<() => void>();

function showWaiting(): void {
  const due = [...waiting];
  waiting.clear();
  for (const notify of due) notify();
}

type Pace = (notify: () => void) => { readonly changed: () => void; readonly ended: () => void };

const makeFloor = (params: Parameters<Adapter>[0], pace: Pace): ReturnType<Adapter> => {
  const upstream = upstreamOf(params, 'v');
  let live: RowMessage = { id: 'live-0', parts: [] };
  let turn = 0;
  const listeners = new Set<() => void>();
  const { changed, ended } = pace(() => listeners.forEach((listener) => listener()));
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const old = Array.from({ length: params.history }, (_, index): RowMessage => {
    history.add(`old-${index}`);
    return { id: `old-${index}`, parts: [{ type: 'text', text: historyText(index) }] };
  });
  const rows = old.map((message) => <Row key={message.id} message={message} />);
  const Live = (): ReactNode => <Row message={useSyncExternalStore(subscribe, () => live)} />;
  return {
    App: () => (
      <>
        {rows}
        <Live />
      </>
    ),
    async send() {
      const id = `live-${++turn}`;
      let text = '';
      const body = JSON.stringify({ messages: [...old, live] });
      await readDeltas(upstream, body, (delta) => {
        text += delta;
        live = { id, parts: [{ type: 'text', text }] };
        changed();
      });
      ended();
    },
  };
};
