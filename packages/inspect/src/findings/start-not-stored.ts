import { defineDetector } from './detector.ts';
import { inside, quoteName } from './wording.ts';

/** A call that asked a person, because its start could not be stored. */
export const startNotStored = defineDetector({
  code: 'start-not-stored',
  area: 'session',
  severity: 'error',
  finds: 'A session that could not be stored when a `once` tool was about to run.',
  reads: { 'approval-request': ['cause', 'reason'] },
  watch:
    () =>
    ({ event, call }) => {
      if (event.cause !== 'not-stored') return null;
      const name = quoteName(call?.toolCall.name ?? '');
      return {
        sentence: `The session could not be stored before tool ${name} ran, so a person was asked: ${inside(event.reason ?? 'no reason given')}.`,
        remedy:
          'Make room in the storage, or look at the errors of the store. Until then a reload loses what is not stored.',
        evidence: { reason: event.reason },
      };
    },
});
