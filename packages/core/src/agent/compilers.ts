import { type SectionName, compile } from '../graph/message-store.ts';
import { withoutForeignTraces } from '../graph/foreign-traces.ts';
import type { Message } from '../graph/message.ts';
import type { AgentState } from '../graph/types.ts';
import { memoize } from '../kit/memoize.ts';
import { pairToolCalls } from '../graph/pair-tool-calls.ts';
import type { MessageCompiler } from './agent-definition.ts';

/** The default compiler: every message except the tool traces of earlier runs. */
export const conversationWithCurrentToolTrace: MessageCompiler = compiler((state) =>
  withoutForeignTraces(compile(state.context.store), state.execution?.executionId),
);

/** A compiler of the named sections; an empty list means `messages`. Calls stay with their results. */
export function selectedSections(names: readonly SectionName[]): MessageCompiler {
  return compiler((state) => compile(state.context.store, names));
}

/** A compiler of all messages, traces of earlier runs included. */
export const allSections: MessageCompiler = compiler((state) => compile(state.context.store));

/** Memoises a compiler, but for whole conversations: collectors keep values of weak maps for a while. */
function compiler(choose: (state: AgentState) => readonly Message[]): MessageCompiler {
  const chooseMessages = memoize((state: AgentState): readonly Message[] | null => {
    const list = pairToolCalls(choose(state));
    return list === compile(state.context.store) ? null : list;
  });
  return (state) => chooseMessages(state) ?? compile(state.context.store);
}
