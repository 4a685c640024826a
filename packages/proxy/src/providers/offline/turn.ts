import { type InferenceRequest, type JsonObject, type JsonValue, Message } from '@vitrine/core';

/** The parts of a request by which a reply of {@link offlineModel} is chosen. */
export type OfflineTurn = {
  readonly request: InferenceRequest;
  /** The wish of the person: the last message, or an earlier one when the last only says to go on. */
  readonly asked: string;
  /** All messages of the person, the last first. */
  readonly said: readonly string[];
  /** The results of tools since the person's last message. */
  readonly results: readonly {
    readonly toolName: string;
    readonly output: JsonValue;
    readonly outcome: string;
  }[];
  /** The results that the model has not commented on yet. */
  readonly news: OfflineTurn['results'];
};

/** A reply of {@link offlineModel}. */
export type OfflineReply = {
  readonly reasoning?: string;
  readonly text?: string;
  /** Calls after the text. */
  readonly toolCalls?: readonly { readonly name: string; readonly input: JsonObject }[];
  /** Ends the reply in place of its calls. */
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean };
};

export function readTurn(request: InferenceRequest): OfflineTurn {
  const people = request.messages.filter(({ role }) => role === 'user');
  const said = people.map((message) => ownText(Message.text(message))).toReversed();
  const after = request.messages.slice(request.messages.findLastIndex(({ role }) => role === 'user') + 1);
  return {
    request,
    asked: said.find((text) => !goesOn.test(text)) ?? said[0] ?? '',
    said,
    results: resultsIn(after),
    news: resultsIn(after.slice(after.findLastIndex(({ role }) => role === 'assistant') + 1)),
  };
}

const goesOn = /^\s*(?:please\s+)?(?:go on|continue|carry on)\b[\s.!]*$/i;

function resultsIn(messages: readonly Message[]): OfflineTurn['results'] {
  return messages
    .filter(({ role }) => role === 'tool')
    .flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-result'))
    .map(({ output, ...part }) => ({
      ...part,
      output: typeof output === 'string' ? ownText(output) : output,
    }));
}

/** A text without what plugins told behind it. */
function ownText(text: string): string {
  const told = text.indexOf('<context name="');
  return told < 0 ? text : text.slice(0, told).trimEnd();
}
