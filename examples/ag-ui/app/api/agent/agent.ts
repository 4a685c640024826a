import { type AGUIEvent, EventType, type Message, type RunAgentInput, type ToolCall } from '@ag-ui/core';
import OpenAI from 'openai';
import type { ChatCompletionMessageParam } from 'openai/resources';
import { definitions, tools } from './tools';

const baseURL = process.env.OPENAI_COMPATIBLE_BASE_URL ?? 'http://localhost:11434/v1';
const openai = new OpenAI({ baseURL, apiKey: 'ollama' });

/** The answer of a person to a question, as AG-UI sends it. */
type Answer = { approved?: boolean; editedArgs?: Record<string, unknown> };

/** Asks the model and runs its calls, until it has answered or a person has to. */
export async function* run(input: RunAgentInput, signal: AbortSignal): AsyncGenerator<AGUIEvent> {
  const { threadId, runId, resume = [] } = input;
  const messages = input.messages.flatMap(toOpenAI);
  const answers = new Map(resume.map(({ interruptId, payload }) => [interruptId, payload ?? {}]));
  let calls = openCalls(input.messages);
  yield { type: EventType.RUN_STARTED, threadId, runId };
  try {
    do {
      const interrupts = calls.filter(({ id }) => !answers.has(id)).flatMap(questionOf);
      if (interrupts.length > 0) {
        yield { type: EventType.RUN_FINISHED, threadId, runId, outcome: { type: 'interrupt', interrupts } };
        return;
      }
      for (const { id: toolCallId, function: call } of calls) {
        const content = resultOf(call, answers.get(toolCallId));
        yield { type: EventType.TOOL_CALL_RESULT, messageId: crypto.randomUUID(), toolCallId, content };
        messages.push({ role: 'tool', tool_call_id: toolCallId, content });
      }
      calls = yield* askModel(messages, signal);
    } while (calls.length > 0);
    yield { type: EventType.RUN_FINISHED, threadId, runId };
  } catch (error) {
    yield { type: EventType.RUN_ERROR, message: (error as Error).message };
  }
}

/** Streams an answer of the model, and returns its calls. */
async function* askModel(
  messages: ChatCompletionMessageParam[],
  signal: AbortSignal,
): AsyncGenerator<AGUIEvent, ToolCall[]> {
  const stream = openai.chat.completions.stream(
    { model: 'llama3.2', messages, tools: definitions },
    { signal },
  );
  for await (const { id, choices } of stream) {
    const { content, tool_calls = [] } = choices[0]?.delta ?? {};
    if (content)
      yield { type: EventType.TEXT_MESSAGE_CHUNK, messageId: id, role: 'assistant', delta: content };
    for (const call of tool_calls)
      yield {
        type: EventType.TOOL_CALL_CHUNK,
        parentMessageId: id,
        toolCallId: call.id,
        toolCallName: call.function?.name,
        delta: call.function?.arguments,
      };
  }
  const message = await stream.finalMessage();
  messages.push(message);
  return message.tool_calls?.filter((call) => call.type === 'function') ?? [];
}

/** The calls of the last answer that have no result yet. */
function openCalls(messages: Message[]): ToolCall[] {
  const results = new Set(messages.map((message) => message.role === 'tool' && message.toolCallId));
  const last = messages.findLast(({ role }) => role === 'assistant');
  const calls = last?.role === 'assistant' ? last.toolCalls : [];
  return calls?.filter(({ id }) => !results.has(id)) ?? [];
}

function questionOf({ id, function: { name, arguments: args } }: ToolCall) {
  const message = tools[name]?.ask?.(JSON.parse(args));
  return message === undefined ? [] : [{ id, reason: 'tool_call', message, toolCallId: id }];
}

function resultOf(
  { name, arguments: args }: ToolCall['function'],
  answer: Answer = { approved: true },
): string {
  if (!answer.approved) return 'The user said no.';
  return JSON.stringify(tools[name]?.execute(answer.editedArgs ?? JSON.parse(args)));
}

function toOpenAI(message: Message): ChatCompletionMessageParam[] {
  const content = String(message.content ?? '');
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content }];
    case 'assistant':
      return [{ role: 'assistant', content, tool_calls: message.toolCalls }];
    case 'tool':
      return [{ role: 'tool', tool_call_id: message.toolCallId, content }];
    default:
      return [];
  }
}
