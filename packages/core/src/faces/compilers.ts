// The compilers that select messages for the model; see `runs.ts` for the reason of the separate bindings.
import * as compilers from '../agent/compilers.ts';
import type { MessageCompiler } from '../agent/agent-definition.ts';

/** The default compiler: every message except the tool traces of earlier runs. */
export const conversationWithCurrentToolTrace: MessageCompiler = compilers.conversationWithCurrentToolTrace;
/**
 * A compiler of the named sections; an empty list means the section `messages`. A call is never separated from its
 * result.
 */
export const selectedSections: typeof compilers.selectedSections = compilers.selectedSections;
/** A compiler of all messages, traces of earlier runs included. */
export const allSections: MessageCompiler = compilers.allSections;
