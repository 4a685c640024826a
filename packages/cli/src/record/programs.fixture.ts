import { AgentState, systemEnv } from '@vitrine/core';
import { createSessionHub, type SessionHub } from '@vitrine/core/internal/session/hub';
import { inputMessages } from '@vitrine/core/internal/graph/sent';
import type { AgentState as State } from '@vitrine/core/internal/graph/types';
import { type Exchange, Lines } from './lines.ts';
import type { Line } from './line.ts';
import { foreign, type Foreign } from '@vitrine/inspect/internal/foreign/foreign-values';
import { stateAtPath } from '@vitrine/core/internal/run/state-at';
import { apiNamed } from './wire/apis.ts';
import { asText, type WireMessage } from './wire/api.ts';

/** A recording without a network: requests and answers are given to it as they are on the wire. */
export function recordingOf(program = ''): { readonly lines: Lines; readonly hub: SessionHub } {
  const hub = createSessionHub();
  return { hub, lines: new Lines(hub, systemEnv, { program }) };
}

/** Gives a request of chat completions to a recording. */
export function ask(lines: Lines, body: object): Exchange {
  return askOf(lines, 'chat-completions', body);
}

export function askOf(lines: Lines, name: string, body: object, path = ''): Exchange {
  const api = apiNamed(name)!;
  return lines.ask(api.request(foreign(body), path, lines.items), 'test', 1);
}

/** Gives a whole answer of chat completions to a recording. */
export function answer(lines: Lines, exchange: Exchange, message: Foreign, reason = 'stop'): void {
  const finish_reason = message['tool_calls'] === undefined ? reason : 'tool_calls';
  const body = { id: crypto.randomUUID(), model: 'm', choices: [{ index: 0, message, finish_reason }] };
  lines.take(exchange, apiNamed('chat-completions')!.answer([body]));
  lines.end(exchange, false, 1);
}

/** The messages of a request as the journal has them, in the words of the wire. */
export function shownRequest(line: Line): readonly string[] {
  const state = stateAtPath(line.journal.state(), line.path) as State;
  const step = state.execution!.currentStep!;
  return inputMessages(state, step).map(({ role, parts }) => {
    const said = parts.flatMap((part) => {
      if (part.type === 'text') return part.text.trim() === '' ? [] : [part.text.trim()];
      if (part.type === 'tool-call') return [`${part.toolName} ${JSON.stringify(part.input)}`];
      return part.type === 'tool-result' ? [asText(part.output)] : [];
    });
    return [role, ...said].join('|');
  });
}

/** The messages of a request as they are on the wire, in the same words. */
export function sentRequest(messages: readonly WireMessage[]): readonly string[] {
  return messages.map(({ role, text, calls }) =>
    [
      role,
      ...(text.trim() === '' ? [] : [text.trim()]),
      ...calls.map(({ name, args }) => `${name} ${args}`),
    ].join('|'),
  );
}

/** Demands that a state can be stored and read again. */
export function isSoundState(state: State): boolean {
  const document = JSON.parse(JSON.stringify(AgentState.toJSON(state))) as unknown;
  return JSON.stringify(AgentState.toJSON(AgentState.fromJSON(document))) === JSON.stringify(document);
}
