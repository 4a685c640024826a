import { finalResponse, status, stopReason } from '@vitrine/core/internal/graph/agent-state/accessors';
import { fold } from '@vitrine/core/internal/run/apply';
import { type Redaction, redactText } from '../redact.ts';
import { redactJournal } from './trace.ts';
import { type JournalDocument, readJournal } from '../replay/journal-document.ts';

/** The input of an exported test. */
export type TestOfJournal = {
  readonly journal: JournalDocument;
  /** The agent's name. */
  readonly name: string;
  /** The text of the user message. */
  readonly request: string;
  /** The module from which the test imports the agent. Default: `./agent`, to be corrected. */
  readonly agentModule?: string;
  /** The name under which the module exports it. Default: `agent`. */
  readonly agentExport?: string;
};

/**
 * Creates the file of a vitest test that replays a recorded run with the application's own agent. It passes while the
 * agent behaves the same, and fails with step and path when a prompt or a hook differs. It contains no secrets; its
 * comments say what was not recorded.
 * @throws AgentError `state-invalid` for a journal that cannot be read.
 */
export function testOfJournal(init: TestOfJournal): string {
  const { agentModule = './agent', agentExport = 'agent' } = init;
  const redactions: Redaction[] = [];
  const journal = redactJournal(init.journal, (found) => redactions.push(found));
  const { base, events } = readJournal(journal);
  const state = fold(base, events);
  const safe = (text: string): string => JSON.stringify(redactText(text, 'text'));
  const expected = [
    `expect(AgentState.status(state)).toBe(${JSON.stringify(status(state))});`,
    `expect(AgentState.stopReason(state)).toBe(${JSON.stringify(stopReason(state))});`,
    `expect(AgentState.finalResponse(state)).toBe(${safe(finalResponse(state))});`,
  ];
  return `// A recorded run of the agent ${safe(init.name)}, as a test: model and tools answer from the recording.
//
// What was not recorded, and so is not looked at:
${notRecorded(journal, redactions)
  .map((line) => `// - ${line}`)
  .join('\n')}
import { AgentState } from '@vitrine/core';
import { type JournalDocument, replay } from '@vitrine/inspect';
import { expect, it } from 'vitest';
import { ${agentExport} } from ${JSON.stringify(agentModule)};

const journal = ${literal(journal)} as unknown as JournalDocument;

it(${JSON.stringify(`answers ${safe(shortenText(init.request))} as it was recorded`)}, async () => {
  const { state } = await replay(journal, ${agentExport}, { isMasked: true });
  ${expected.join('\n  ')}
});
`;
}

function notRecorded({ events }: JournalDocument, redactions: readonly Redaction[]): string[] {
  const tools = events.flatMap((event) => (event.type === 'tool-call' ? [event.toolName] : []));
  const names = [...new Set(tools)].map((name) => JSON.stringify(name)).join(', ');
  return [
    'what the model gave before after-inference hooks changed it: they are given what was kept;',
    ...(names === '' ? [] : [`what the tools ${names} did outside of the state: they do not run;`]),
    'what hooks, plugins, approval rules and compilers read from outside (clocks, networks): they run again;',
    ...(redactions.length === 0
      ? []
      : [
          `${redactions.length} values that look like secrets (•••); where a schema wants them, put others there:`,
          ...(redactions.some(({ by }) => by === 'sanitize')
            ? ['what sanitize took out: hand it to sanitizeWith of @vitrine/inspect before the replay;']
            : []),
          ...redactions.slice(0, 20).map(({ path }) => `  ${JSON.stringify(path.join('.'))}`),
        ]),
  ].map((line) => line.replace(/[\r\n\u2028\u2029]/g, ' '));
}

function shortenText(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** JSON as an expression: a key `__proto__` would set a prototype there. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/"__proto__":/g, '["__proto__"]:');
}
