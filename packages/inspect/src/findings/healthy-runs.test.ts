import { expect, it } from 'vitest';
import { healthyChats } from './healthy-chats.fixture.ts';
import { healthyTools } from './healthy-tools.fixture.ts';
import type { Finding } from './finding.ts';
import { findingsOfSession } from './session-runs.fixture.ts';

const healthy = { ...healthyChats, ...healthyTools };

/** The hints of healthy runs: a hook, a compiler or a page size may be just what was meant. Every other run has none. */
const hints: Readonly<Record<string, readonly string[]>> = {
  'a chat with a window of the last six messages': ['messages-left-out'],
  'a chat whose history is summarised': ['answer-replaced'],
  'a prompt with the date of today': ['prompt-replaced'],
  'a hook that masks mail addresses before the model': ['message-changed', 'request-replaced'],
  'a hook that sends short questions to a small model': ['request-replaced'],
  'two hooks that write metadata in their order': ['state-overwritten'],
  'a hook that blocks deletions': ['call-blocked'],
  'a hook that masks card numbers in results': ['tool-result-changed'],
  'a hook that fills in the tenant': ['call-changed'],
  'a translator that gets a part of the text': ['subagent-uninformed'],
  'the five newest of many': ['pages-unread'],
};

const codesOf = (found: readonly Finding[]): readonly string[] => [
  ...new Set(found.map(({ code, severity }) => (severity === 'fault' ? `fault ${code}` : code))),
];

it.each(Object.entries(healthy))(
  'a healthy run has no fault and only its known hints: %s',
  async (what, run) => {
    expect(codesOf(await findingsOfSession(run))).toEqual(hints[what] ?? []);
  },
);

it('a fifth of more than fifty healthy runs has hints', () => {
  expect(Object.keys(healthy).length).toBeGreaterThanOrEqual(50);
  expect(Object.keys(hints).length).toBeLessThanOrEqual(Object.keys(healthy).length / 5);
  for (const what of Object.keys(hints)) expect(Object.keys(healthy)).toContain(what);
});
