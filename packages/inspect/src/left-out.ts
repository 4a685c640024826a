import { inputMessages } from '@vitrine/core/internal/graph/sent';
import { isTrace, type Message, text } from '@vitrine/core/internal/graph/message';
import { work } from '@vitrine/core/internal/kit/work';
import type { AgentState, AgentStep, SentRange } from '@vitrine/core/internal/graph/types';

/** A message of the state that the model was not sent, or was sent in another form. */
export type LeftOut = {
  readonly message: Message;
  readonly section: string;
  /** The reason, in words for people. */
  readonly reason: string;
  /** The message that was sent instead; null for none. */
  readonly sentAs: Message | null;
};

/**
 * The messages of the store that a step did not send to the model, in the order of the store. The result is exact with
 * the state of the call. With a later state, messages added after the step began are skipped.
 */
export function leftOut(state: AgentState, step: AgentStep): readonly LeftOut[] {
  const { sent } = step;
  if (sent === null) return [];
  const sentById = new Map(inputMessages(state, step).map((message) => [message.id, message]));
  const later = laterThan(state, step);
  const calls = callsIn(state);
  const found: LeftOut[] = [];
  for (const { name, messages } of state.context.store.sections) {
    work.units += messages.length;
    const isSectionSent = messages.some(({ id }) => sentById.has(id));
    const places = new Map(messages.map(({ id }, at) => [String(id), at]));
    for (const [at, message] of messages.entries()) {
      const other = sentById.get(message.id);
      // A summary in front of the conversation is sent as the prompt.
      const isPrompt = message.role === 'system' && text(message) === state.texts[sent.prompt];
      if (other === undefined && (isPrompt || later(message))) continue;
      if (other !== undefined && isSame(message, other)) continue;
      const recorded = sent.omitted.find(({ range }) => range.section === name && isIn(range, places, at));
      const reason =
        other === undefined
          ? (recorded?.reason ?? reasonOf(message, { state, name, isSectionSent, calls }))
          : 'It was changed on its way to the model: by compileMessages, or by a hook before the call.';
      found.push({ message, section: name, reason, sentAs: other ?? null });
    }
  }
  return found;
}

type LeftOutContext = {
  readonly state: AgentState;
  readonly name: string;
  readonly isSectionSent: boolean;
  readonly calls: ReadonlySet<string>;
};

function reasonOf(message: Message, { state, name, isSectionSent, calls }: LeftOutContext): string {
  if (isTrace(message) && message.metadata['execution_id'] !== state.execution?.executionId)
    return 'It belongs to the trace of an earlier run; only its question and its answer are sent again.';
  if (message.parts.some((part) => part.type === 'tool-result' && !calls.has(part.toolCallId)))
    return 'A result without its call is never sent.';
  if (!isSectionSent) return `Nothing of the section "${name}" is sent: compileMessages does not choose it.`;
  return 'The compiler of the agent (compileMessages), or a hook before the call, left it out.';
}

function callsIn(state: AgentState): ReadonlySet<string> {
  const parts = state.context.store.sections.flatMap(({ messages }) => messages.flatMap((one) => one.parts));
  return new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])));
}

/** Returns a test for messages added after the step had begun. */
function laterThan(state: AgentState, step: AgentStep): (message: Message) => boolean {
  const { execution } = state;
  const archived = execution?.stepExecutions ?? [];
  const at = archived.findIndex(({ id }) => id === step.id);
  const startedAt = archived[at]?.startedAt ?? execution?.currentStepStartedAt ?? Infinity;
  const [before, after] = at < 0 ? [archived, [step]] : [archived.slice(0, at), archived.slice(at)];
  const earlier = new Set(before.map(({ id }) => id));
  const ids = new Set(after.map(({ id }) => id));
  if (execution?.currentStep) ids.add(execution.currentStep.id);
  return ({ createdAt, metadata }) => {
    const stepId = metadata['step_id'];
    // Messages of other runs may be earlier or later, so their time decides.
    const isKnown = typeof stepId === 'string' && (ids.has(stepId) || earlier.has(stepId));
    return isKnown ? ids.has(stepId) : createdAt > startedAt;
  };
}

function isIn(range: SentRange, places: ReadonlyMap<string, number>, at: number): boolean {
  return (places.get(range.first) ?? -1) <= at && at <= (places.get(range.last) ?? -1);
}

/** True for messages with equal content: parts are plain JSON. */
function isSame(a: Message, b: Message): boolean {
  return a === b || (a.role === b.role && JSON.stringify(a.parts) === JSON.stringify(b.parts));
}
