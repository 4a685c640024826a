import { compile } from '../graph/compile-sections.ts';
import type { SectionName } from '../graph/sections.ts';
import { isTrace } from '../graph/is-trace.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import { grown } from '../kit/grown-list.ts';
import type { JsonValue } from '../kit/json.ts';
import { memoize } from '../kit/memoize.ts';
import { memoizeGrowing } from '../kit/memoize-growing.ts';
import { pairToolCalls } from './pair-tool-calls.ts';
import type { MessageCompiler } from './agent-definition.ts';

/** The default: everything but the tool traces of earlier runs. */
export const conversationWithCurrentToolTrace: MessageCompiler = compiler((state) =>
  withTraceOf(state.execution?.executionId, compile(state.context.store)),
);

/** Only the named sections; none means the section `messages`. A call is never parted from its result. */
export function selectedSections(names: readonly SectionName[]): MessageCompiler {
  return compiler((state) => compile(state.context.store, names));
}

/** All there is, traces of earlier runs included. */
export const allSections: MessageCompiler = compiler((state) => compile(state.context.store));

/** The same state gives the same array. */
function compiler(choose: (state: AgentState) => readonly Message[]): MessageCompiler {
  return memoize((state: AgentState) => pairToolCalls(choose(state)));
}

function withTraceOf(executionId: string | undefined, all: readonly Message[]): readonly Message[] {
  const { trace, messages } = withLastTrace(all);
  if (trace === null || executionOf(trace) === executionId) return messages;
  return all.filter((message) => !isForeignTrace(message, executionId));
}

type Traced = {
  /** The last message that belongs to a trace. */
  readonly trace: Message | null;
  /** Without the traces of other executions than its own. */
  readonly messages: readonly Message[];
};

/** Asked before every model call, so only what is new is looked at. */
const withLastTrace = memoizeGrowing<Message, Traced>((before, given, from) => {
  const added = given.slice(from);
  const trace = added.findLast(isTrace) ?? before?.trace ?? null;
  const executionId = trace === null ? undefined : executionOf(trace);
  const isOwn = (message: Message): boolean => !isForeignTrace(message, executionId);
  const goesOn = before !== null && (before.trace === null || executionOf(before.trace) === executionId);
  const kept = goesOn ? grown(before.messages, added.filter(isOwn)) : given.filter(isOwn);
  return { trace, messages: kept.length === given.length ? given : kept };
});

function isForeignTrace(message: Message, executionId: JsonValue | undefined): boolean {
  return isTrace(message) && executionOf(message) !== executionId;
}

function executionOf({ metadata }: Message): JsonValue | undefined {
  return metadata['execution_id'];
}
