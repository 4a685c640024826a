import { compile } from '../graph/compile-sections.ts';
import type { SectionName } from '../graph/sections.ts';
import { isTrace } from '../graph/is-trace.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import { memoize } from '../kit/memoize.ts';
import { pairToolCalls } from './pair-tool-calls.ts';
import type { MessageCompiler } from './agent-definition.ts';

/** The default: everything but the tool traces of earlier runs. */
export const conversationWithCurrentToolTrace: MessageCompiler = compiler((state) => {
  const executionId = state.execution?.executionId;
  const all = compile(state.context.store);
  return hasForeignTrace(all, executionId)
    ? all.filter((message) => !isForeignTrace(message, executionId))
    : all;
});

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

/** Asked before every model call; most conversations have none. */
function hasForeignTrace(messages: readonly Message[], executionId: string | undefined): boolean {
  for (const message of messages) if (isForeignTrace(message, executionId)) return true;
  return false;
}

function isForeignTrace(message: Message, executionId: string | undefined): boolean {
  return isTrace(message) && message.metadata['execution_id'] !== executionId;
}
