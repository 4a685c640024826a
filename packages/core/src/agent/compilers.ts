import { compile, type SectionName } from '../messages/message-store.ts';
import { isTrace, type Message } from '../messages/message.ts';
import { pairToolCalls } from '../messages/pair-tool-calls.ts';
import type { MessageCompiler } from './agent-definition.ts';

/** The default: everything but the tool traces of earlier runs. */
export const conversationWithCurrentToolTrace: MessageCompiler = (state) => {
  const executionId = state.execution?.executionId;
  const all = compile(state.context.store);
  const isForeign = (message: Message): boolean =>
    isTrace(message) && message.metadata['execution_id'] !== executionId;
  return pairToolCalls(all.some(isForeign) ? all.filter((message) => !isForeign(message)) : all);
};

/** Only the named sections; none means the section `messages`. A call is never parted from its result. */
export function selectedSections(names: readonly SectionName[]): MessageCompiler {
  return (state) => pairToolCalls(compile(state.context.store, names));
}

/** All there is, traces of earlier runs included. */
export const allSections: MessageCompiler = (state) => pairToolCalls(compile(state.context.store));
