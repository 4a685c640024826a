import { type LinkMessage, linkToJSON, opened, sealed } from '@vitrine/core/link';
import type { TabLink } from '@vitrine/core/stores';
import type { BusPlace } from './bus-message.ts';

/** A message that a runner sends to its followers. */
export type RunnerMessage = Extract<LinkMessage, { readonly term: number }>;

/** The link of a session that always leads, as its runner holds it. */
export type RunnerLink = {
  readonly tabs: TabLink;
  /** Gives a message to the session, as a follower does. */
  readonly give: (message: LinkMessage) => void;
};

/** Creates the link of a runner. A server is the tab that always holds the lock. */
export function createRunnerLink(onMessage: (message: RunnerMessage) => void): RunnerLink {
  let hear = (_data: unknown): void => undefined;
  return {
    give: (message) => hear(sealed(message)),
    tabs: {
      lock(_name, onTurn) {
        queueMicrotask(() => onTurn(true));
        return () => undefined;
      },
      open(_name, onHeard) {
        hear = onHeard;
        return {
          post(data) {
            const message = opened(data);
            if (message !== null && 'term' in message) onMessage(message);
          },
          close: () => (hear = () => undefined),
        };
      },
    },
  };
}

/**
 * Writes a message of a runner as text, with the epoch of its lease in place of its own term, which follows a clock. The
 * server sends it only to whom it is for. The version of the agent is left out: only the agent of the server runs.
 */
export function runnerText(message: RunnerMessage, epoch: number): string {
  const given = { ...message, term: epoch };
  const view = 'view' in given ? { view: { ...given.view, agentVersion: null } } : {};
  const to = 'to' in given ? { to: null } : {};
  return JSON.stringify(linkToJSON({ ...given, ...view, ...to } as LinkMessage));
}

/** The position of a message; a term alone stands before the first message. */
export function placeOf(message: RunnerMessage, epoch: number): BusPlace {
  return { epoch, n: 'n' in message ? message.n : 0 };
}
