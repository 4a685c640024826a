import { commit } from '../run/run.ts';
import type { Feature } from '../run/slots.ts';

/** Adds messages that a person sent during the run between two steps; the run continues to answer them. */
export const steering: Feature = (run) => {
  if (run.path.length > 0) return {};
  return {
    afterStep() {
      if (run.signal.aborted) return;
      const messages = run.takeSteered();
      for (const message of messages)
        commit(run, { type: 'message-add', source: 'user', section: 'messages', message });
      if (messages.length > 0) commit(run, { type: 'continuation-request', source: 'user' });
    },
  };
};
