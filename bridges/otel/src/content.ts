import type { Attributes } from '@opentelemetry/api';
import { request } from '@vitrine/core/internal/graph/sent';
import type { Message, MessagePart } from '@vitrine/core/internal/graph/message';
import { currentStep } from '@vitrine/core/internal/graph/agent-state/accessors';
import type { AgentState } from '@vitrine/core/internal/graph/types';
import type { JsonObject, JsonValue } from '@vitrine/core/internal/kit/json';
import { redact } from '@vitrine/inspect/internal/redact';
import { cutText } from '@vitrine/core/internal/kit/text';

// Texts in spans. They are written only where the application asks for them.

/** The longest text of one attribute, in characters; the rest is cut off. */
const maxLength = 32_000;

/** A value as the text of an attribute, without secrets. */
export function attributeText(value: unknown, name: string): string {
  const safe = redact(value, { path: [name] });
  const text = typeof safe === 'string' ? safe : (JSON.stringify(safe) ?? '');
  return text.length <= maxLength ? text : `${cutText(text, maxLength)}…`;
}

/** The instructions and messages of the model call of the step in flight. */
export function inputContent(state: AgentState, isOpenInference: boolean): Attributes {
  const step = currentStep(state);
  const sent = step === null ? null : request(state, step);
  if (sent === null) return {};
  const { systemPrompt, messages } = sent;
  const instructions = [{ type: 'text', content: systemPrompt }];
  const input = attributeText(messages.map(messageContent), 'messages');
  return {
    ...(systemPrompt === ''
      ? {}
      : { 'gen_ai.system_instructions': attributeText(instructions, 'instructions') }),
    'gen_ai.input.messages': input,
    ...(isOpenInference ? valueAttributes('input', input) : {}),
  };
}

/** The answer of the step in flight. */
export function outputContent(state: AgentState, finishReason: string, isOpenInference: boolean): Attributes {
  const messages = currentStep(state)?.outputMessages ?? [];
  const said = messages.map((message) => ({ ...messageContent(message), finish_reason: finishReason }));
  const output = attributeText(said, 'messages');
  return { 'gen_ai.output.messages': output, ...(isOpenInference ? valueAttributes('output', output) : {}) };
}

/** The arguments of a tool call, or its result. */
export function toolContent(
  which: 'arguments' | 'result',
  value: JsonValue | undefined,
  isOpenInference: boolean,
): Attributes {
  const text = attributeText(value ?? null, which);
  const side = which === 'arguments' ? 'input' : 'output';
  return { [`gen_ai.tool.call.${which}`]: text, ...(isOpenInference ? valueAttributes(side, text) : {}) };
}

function valueAttributes(side: 'input' | 'output', text: string): Attributes {
  return { [`${side}.value`]: text, [`${side}.mime_type`]: 'application/json' };
}

function messageContent({ role, parts }: Message): JsonObject {
  return { role, parts: parts.map(partContent) };
}

/** A part in the schema of the GenAI conventions. The bytes of files are left out. */
function partContent(part: MessagePart): JsonObject {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return { type: part.type, content: part.text };
    case 'tool-call':
      return { type: 'tool_call', id: part.toolCallId, name: part.toolName, arguments: part.input };
    case 'tool-result':
      return { type: 'tool_call_response', id: part.toolCallId, response: part.output };
    case 'file':
      return { type: 'file', mime_type: part.mediaType, file_id: part.filename ?? part.url ?? '' };
    case 'source':
      return { type: 'source', uri: part.url ?? '', title: part.title ?? '' };
    case 'data':
      return { type: 'data', name: part.name, data: part.data };
  }
}
