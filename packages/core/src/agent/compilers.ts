import { compile, type SectionName } from '../graph/message-store.ts';
import { isTrace, type Message } from '../graph/message.ts';
import { pairToolCalls } from './pair-tool-calls.ts';
import type { MessageCompiler } from './agent-definition.ts';

/** The default: everything but the tool traces of earlier runs. */
export const conversationWithCurrentToolTrace: MessageCompiler = (state) => {
  const executionId = state.execution?.executionId;
  const all = compile(state.context.store);
  return pairToolCalls(
    hasForeignTrace(all, executionId) ? all.filter((message) => !isForeignTrace(message, executionId)) : all,
  );
};

/** Asked before every model call; most conversations have none. */
function hasForeignTrace(messages: readonly Message[], executionId: string | undefined): boolean {
  for (const message of messages) if (isForeignTrace(message, executionId)) return true;
  return false;
}

function isForeignTrace(message: Message, executionId: string | undefined): boolean {
  return isTrace(message) && message.metadata['execution_id'] !== executionId;
}

/** Only the named sections; none means the section `messages`. A call is never parted from its result. */
export function selectedSections(names: readonly SectionName[]): MessageCompiler {
  return (state) => pairToolCalls(compile(state.context.store, names));
}

/** All there is, traces of earlier runs included. */
export const allSections: MessageCompiler = (state) => pairToolCalls(compile(state.context.store));
