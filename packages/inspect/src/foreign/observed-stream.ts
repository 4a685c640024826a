import { bridgeTexts } from './bridge-texts.ts';
import { textOf } from './foreign-values.ts';
import type { ObservedSession } from './observed-session.ts';

/** An event of another library, of any version. */
export type ForeignEvent = { readonly type: string; readonly [field: string]: unknown };

/** The end of a stream; empty when it just ended. */
export type StreamEnd = { readonly stopped?: string; readonly error?: unknown };

/** Takes the events of one run. Neither function throws. */
export type ObservedStream = {
  readonly take: (event: unknown) => void;
  /** The stream has ended, was cancelled (`stopped`), or failed with an error. */
  readonly end: (how: StreamEnd) => void;
};

export type Meanings = {
  /** Takes every event that has no handler of its own. */
  readonly take?: (event: ForeignEvent) => void;
  readonly handlers: { readonly [type: string]: (event: ForeignEvent) => void };
  /** True for types that say nothing that the journal has a place for. */
  readonly isQuiet: (type: string, isOver: boolean) => boolean;
  /** True when the end of the stream is that of the run. Default: an event has to tell the end. */
  readonly mayEnd?: () => boolean;
};

/** Maps the events of one run to a watched session. `over` is called by a handler with the end of the run. */
export function observedStream(
  session: ObservedSession,
  meaningsOf: (over: (end: () => void) => void) => Meanings,
): ObservedStream {
  let isOver = false;
  const over = (end: () => void): void => {
    isOver = true;
    end();
  };
  const { handlers, take, isQuiet, mayEnd = () => false } = meaningsOf(over);

  return {
    take: (given) =>
      session.runSafely(() => {
        const event = given as ForeignEvent | null;
        const type = textOf(event?.type) ?? bridgeTexts.untyped;
        if (event === null) return;
        const handler = Object.hasOwn(handlers, type) ? handlers[type] : take;
        // Most events are deltas, so the way to their handler is the shortest.
        if (handler !== undefined && !isOver) handler(event);
        else if (!isQuiet(type, isOver))
          session.skip(handler === undefined ? type : bridgeTexts.afterEnd(type));
      }),
    end: ({ stopped, error }) =>
      session.runSafely(() => {
        if (isOver) return;
        if (stopped !== undefined) return over(() => session.stop(stopped));
        if (error !== undefined) return over(() => session.fail(error));
        if (mayEnd()) return over(() => session.finish());
        session.skip(bridgeTexts.withoutEnd);
        over(() => session.stop(bridgeTexts.endedSilently));
      }),
  };
}

/** The end of a stream that broke off: stopped from this page, or failed. */
export function endOf(thrown: unknown, signal: AbortSignal | undefined): StreamEnd {
  return signal?.aborted === true || (thrown instanceof Error && thrown.name === 'AbortError')
    ? { stopped: bridgeTexts.stopped }
    : { error: thrown ?? new Error(bridgeTexts.streamFailed) };
}
