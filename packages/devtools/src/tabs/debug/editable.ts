import { type AgentDefinition, AgentState, type JsonValue, Message, type ToolExecution } from '@vitrine/core';
import type { AgentBreak } from '@vitrine/core/types';
import type { ForkEdit } from '@vitrine/inspect';
import { everyAgentOf } from '@vitrine/inspect/internal/agents-of';
import { preview } from '../../kit/format.ts';
import type { Texts } from '../../texts.ts';

/** A value that a person can change. */
export type Editable = {
  readonly id: string;
  readonly label: string;
  /** The present value as text. */
  readonly text: string;
  readonly isJson: boolean;
  /** The tool whose schema the value has to fit; null for any value. */
  readonly toolName: string | null;
  readonly editOf: (value: JsonValue) => ForkEdit;
};

export function ofCall(
  { id, toolCall, ...call }: ToolExecution,
  kind: 'input' | 'result',
  label: string,
): Editable {
  const value = kind === 'input' ? toolCall.input : (call.result ?? '');
  return {
    id: `${kind}:${id}`,
    label,
    text: JSON.stringify(value, null, 2),
    isJson: true,
    toolName: kind === 'input' ? toolCall.name : null,
    editOf: (given) => ({ toolCallId: id, [kind]: given }),
  };
}

/** A text that a person can write anew. */
function ofText(id: string, label: string, text: string, editOf: (text: string) => ForkEdit): Editable {
  return { id, label, text, isJson: false, toolName: null, editOf: (value) => editOf(String(value)) };
}

function ofMessage(message: Message | undefined, label: string): readonly Editable[] {
  if (message === undefined) return [];
  const { id } = message;
  return [ofText(`message:${id}`, label, Message.text(message), (text) => ({ message: { id, text } }))];
}

function ofPrompt(state: AgentState, agent: AgentDefinition | null, { edits }: Texts): Editable {
  const prompt = state.context.systemPrompt || (agent?.systemPrompt ?? '');
  return ofText('prompt', edits.systemPrompt, prompt, (systemPrompt) => ({ systemPrompt }));
}

const lastOf = (state: AgentState, role: Message['role']): Message | undefined =>
  AgentState.messages(state).findLast((message) => message.role === role);

/** The values that a person may change before an agent at a breakpoint goes on. */
export function editablesAt(
  state: AgentState,
  { at }: AgentBreak,
  agent: AgentDefinition | null,
  texts: Texts,
): readonly Editable[] {
  const { edits } = texts;
  const calls = AgentState.currentStep(state)?.toolExecutions ?? [];
  const open = calls.filter(({ id, status }) =>
    at.point === 'tool' ? id === at.toolCallId : at.point === 'answer' && status === 'requested',
  );
  const ended = at.point === 'end' ? calls : [];
  return [
    ...open.flatMap((call) => [
      ofCall(call, 'input', edits.arguments(call.toolCall.name)),
      ofCall(call, 'result', edits.resultInstead(call.toolCall.name)),
    ]),
    ...ended.map((call) => ofCall(call, 'result', edits.result(call.toolCall.name))),
    ...(at.point === 'answer' ? ofMessage(lastOf(state, 'assistant'), edits.answer) : []),
    ofPrompt(state, agent, texts),
    ...ofMessage(lastOf(state, 'user'), edits.userMessage),
  ];
}

/** The values of a recorded step that a fork may begin with; `state` is that before the step. */
export function editablesOfStep(
  state: AgentState,
  { calls, model }: { readonly calls: readonly ToolExecution[]; readonly model: string | null },
  agent: AgentDefinition | null,
  texts: Texts,
): readonly Editable[] {
  const { edits } = texts;
  return [
    ofPrompt(state, agent, texts),
    ...ofMessage(lastOf(state, 'user'), edits.userMessage),
    ofText('model', edits.model, model ?? '', (name) => ({ model: name })),
    ...offeredTools(agent).map(({ name, description }) =>
      ofText(`description:${name}`, edits.description(name), description, (text) => ({
        descriptions: { [name]: text },
      })),
    ),
    ...calls.flatMap((call) => [
      ofCall(call, 'input', edits.arguments(call.toolCall.name)),
      ofCall(call, 'result', edits.result(call.toolCall.name)),
    ]),
  ];
}

/** The results of a run, which a person may give anew. */
export function editableResults(run: AgentState, { edits }: Texts): readonly Editable[] {
  return AgentState.steps(run).flatMap(({ toolExecutions }) =>
    toolExecutions.map((call) => ({
      ...ofCall(call, 'result', edits.result(call.toolCall.name)),
      editOf: (given) => ({ results: { [call.id]: given } }),
    })),
  );
}

/** The value that a fork begins with, in short. */
export function describeEdit(label: string, edit: ReturnType<Editable['editOf']>): string {
  const { toolCallId: _id, message, descriptions, results, ...rest } = edit;
  const texts = { ...(message && { text: message.text }), ...descriptions, ...results, ...rest };
  const [value = ''] = Object.values(texts);
  return `${label}: ${preview(value, ['input'], 60)}`;
}

type Tool = AgentDefinition['tools'][number];

/** The tools of an agent, its plugins and its subagents. */
export function offeredTools(agent: AgentDefinition | null): readonly Tool[] {
  const agents = agent === null ? [] : everyAgentOf(agent);
  return agents.flatMap(({ tools, plugins }) => [...tools, ...plugins.flatMap((one) => one.tools)]);
}

/** The value of a text, or what is wrong with it. */
export type ReadValue = { readonly value: JsonValue } | { readonly problem: string };

/** Reads the text of an editable value, and puts arguments to the schema of their tool. */
export async function readEditable(
  { isJson, toolName }: Editable,
  text: string,
  agent: AgentDefinition | null,
  { edits }: Texts,
): Promise<ReadValue> {
  if (!isJson) return { value: text };
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return { problem: edits.notJson };
  }
  const schema = offeredTools(agent).find(({ name }) => name === toolName)?.input;
  const issues = schema ? await issuesOf(schema, value) : [];
  return issues.length === 0 ? { value } : { problem: edits.unfit(toolName ?? '', issues) };
}

async function issuesOf(schema: NonNullable<Tool['input']>, value: JsonValue): Promise<readonly string[]> {
  try {
    const result = await schema['~standard'].validate(value);
    return (result.issues ?? []).map(({ message, path = [] }) => {
      const names = path.map((part) => String(typeof part === 'object' ? part.key : part));
      return names.length === 0 ? message : `${names.join('.')}: ${message}`;
    });
  } catch (thrown) {
    return [thrown instanceof Error ? thrown.message : String(thrown)];
  }
}
