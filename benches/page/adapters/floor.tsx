import { memo, type ReactNode, useCallback, useSyncExternalStore } from 'react';
import { historyText } from '../../stream-script.ts';
import { type Adapter, upstreamOf } from '../adapter.ts';
import { history, Row, type RowMessage } from '../row.tsx';
import { readDeltas } from './read-deltas.ts';

/** The least code by hand: a growing string, shown at every delta. */
export const floor: Adapter = (params) => makeFloor(params, (notify) => ({ changed: notify, ended: notify }));

/** The same, shown once a frame: the least cost of a careful application. All parts of a page share a frame. */
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

/** A question and its answer, with the listeners that show it. */
type Turn = {
  readonly question: RowMessage;
  answer: RowMessage;
  readonly listeners: Set<() => void>;
};

/**
 * Creates the yardstick page. Finished messages stay in the page as in any chat, so that the browser lays out the same
 * rows.
 */
const makeFloor = (params: Parameters<Adapter>[0], pace: Pace): ReturnType<Adapter> => {
  const upstream = upstreamOf(params, 'v');
  let turns: readonly Turn[] = [];
  const ofTurns = new Set<() => void>();
  const old = Array.from({ length: params.history }, (_, index): RowMessage => {
    history.add(`old-${index}`);
    return { id: `old-${index}`, parts: [{ type: 'text', text: historyText(index) }] };
  });
  const rows = old.map((message) => <Row key={message.id} message={message} />);
  const Said = memo(({ turn }: { readonly turn: Turn }): ReactNode => {
    const subscribe = useCallback((listener: () => void) => listening(turn.listeners, listener), [turn]);
    return (
      <>
        <Row message={turn.question} />
        <Row message={useSyncExternalStore(subscribe, () => turn.answer)} />
      </>
    );
  });
  const subscribeToTurns = (listener: () => void): (() => void) => listening(ofTurns, listener);
  const Turns = (): ReactNode =>
    useSyncExternalStore(subscribeToTurns, () => turns).map((turn) => (
      <Said key={turn.question.id} turn={turn} />
    ));
  return {
    App: () => (
      <>
        {rows}
        <Turns />
      </>
    ),
    async send() {
      const [asked, id] = [`asked-${turns.length}`, `live-${turns.length}`];
      const question: RowMessage = { id: asked, parts: [{ type: 'text', text: 'Go' }] };
      const turn: Turn = { question, answer: { id, parts: [] }, listeners: new Set() };
      const messages = [...old, ...turns.flatMap((said) => [said.question, said.answer]), question];
      turns = [...turns, turn];
      ofTurns.forEach((listener) => listener());
      const { changed, ended } = pace(() => turn.listeners.forEach((listener) => listener()));
      let text = '';
      await readDeltas(upstream, JSON.stringify({ messages }), (delta) => {
        text += delta;
        turn.answer = { id, parts: [{ type: 'text', text }] };
        changed();
      });
      ended();
    },
  };
};

function listening(listeners: Set<() => void>, listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
