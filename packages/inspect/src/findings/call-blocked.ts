import { defineDetector } from './detector.ts';
import { inside, quoteName } from './wording.ts';

/** A tool call that did not run, because a hook, a rule or a person decided so. */
export const callBlocked = defineDetector({
  code: 'call-blocked',
  area: 'tools',
  severity: 'warning',
  finds: 'A call that a hook blocked or an approval rule denied. The rejection of a person is a note.',
  reads: { 'call-settle': ['outcome', 'error', 'hook'] },
  watch:
    () =>
    ({ event, call }) => {
      const { outcome, error, hook } = event;
      if (outcome !== 'blocked' && outcome !== 'rejected') return null;
      const name = quoteName(call?.toolCall.name ?? '');
      const isByPerson = call?.approval?.decision === 'rejected';
      const who = outcome === 'blocked' ? (hook ?? null) : isByPerson ? 'user' : null;
      const reason = error?.data['reason'];
      const why =
        typeof reason === 'string'
          ? `: ${inside(reason)}`
          : error === null
            ? ''
            : `: ${inside(error.message)}`;
      const by =
        outcome === 'rejected'
          ? isByPerson
            ? 'The person'
            : 'An approval rule'
          : who === null
            ? 'A hook'
            : `Hook ${quoteName(who)}`;
      return {
        severity: isByPerson ? 'note' : 'warning',
        sentence: `${by} ${outcome === 'blocked' ? 'blocked' : 'rejected'} the call of tool ${name}${why}.`,
        remedy: isByPerson
          ? 'Nothing, unless the model did not understand the rejection: it reads the reason as the result of the call.'
          : 'Change the rule if it is too strict, or tell the model in the system prompt what it may not do.',
        evidence: {
          ...(who === null ? {} : { who }),
          before: call?.toolCall.input ?? null,
          reason: error?.message ?? null,
        },
      };
    },
});
