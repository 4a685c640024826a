import { type AgentDefinition, AgentState, type JsonValue, Message, type ToolExecution } from '@vitrine/core';
import type { AgentBreak, BreakEdit } from '@vitrine/core/types';
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
  readonly editOf: (value: JsonValue) => BreakEdit & { readonly model?: string };
};

type Kind = 'input' | 'result';

function ofCall({ id, toolCall, ...call }: ToolExecution, kind: Kind, label: string): Editable {
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

function ofMessage(message: Message | undefined, label: string): readonly Editable[] {
  if (message === undefined) return [];
  const { id } = message;
  const editOf = (text: JsonValue): BreakEdit => ({ message: { id, text: String(text) } });
  return [{ id: `message:${id}`, label, text: Message.text(message), isJson: false, toolName: null, editOf }];
}

function ofPrompt(state: AgentState, agent: AgentDefinition | null, { edits }: Texts): Editable {
  return {
    id: 'prompt',
    label: edits.systemPrompt,
    text: state.context.systemPrompt || (agent?.systemPrompt ?? ''),
    isJson: false,
    toolName: null,
    editOf: (systemPrompt) => ({ systemPrompt: String(systemPrompt) }),
  };
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
    {
      id: 'model',
      label: edits.model,
      text: model ?? '',
      isJson: false,
      toolName: null,
      editOf: (name) => ({ model: String(name) }),
    },
    ...calls.flatMap((call) => [
      ofCall(call, 'input', edits.arguments(call.toolCall.name)),
      ofCall(call, 'result', edits.result(call.toolCall.name)),
    ]),
  ];
}

/** The value that a fork begins with, in short. */
export function describeEdit(label: string, edit: ReturnType<Editable['editOf']>): string {
  const { toolCallId: _id, message, ...rest } = edit;
  const [value = ''] = [...(message === undefined ? [] : [message.text]), ...Object.values(rest)];
  return `${label}: ${preview(value, ['input'], 60)}`;
}

type Schema = NonNullable<AgentDefinition['tools'][number]['input']>;

/** The schema of a tool of an agent, its plugins or its subagents; null when there is none. */
function schemaOf(agent: AgentDefinition, toolName: string, depth = 0): Schema | null {
  const tools = [...agent.tools, ...agent.plugins.flatMap((plugin) => plugin.tools)];
  const found = tools.find(({ name }) => name === toolName)?.input;
  if (found !== undefined) return found;
  if (depth > 20) return null;
  for (const entry of agent.subagents) {
    const below = schemaOf(entry.agent, toolName, depth + 1);
    if (below !== null) return below;
  }
  return null;
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
  const schema = agent === null || toolName === null ? null : schemaOf(agent, toolName);
  const issues = schema === null ? [] : await issuesOf(schema, value);
  return issues.length === 0 ? { value } : { problem: edits.unfit(toolName ?? '', issues) };
}

async function issuesOf(schema: Schema, value: JsonValue): Promise<readonly string[]> {
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
