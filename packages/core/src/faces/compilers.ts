// What chooses the messages for the model; see `runs.ts` for why each name is a binding of its own.
import * as compilers from '../agent/compilers.ts';
import type { MessageCompiler } from '../agent/agent-definition.ts';

/** The default: everything but the tool traces of earlier runs. */
export const conversationWithCurrentToolTrace: MessageCompiler = compilers.conversationWithCurrentToolTrace;
/** Only the named sections; none means the section `messages`. A call is never parted from its result. */
export const selectedSections: typeof compilers.selectedSections = compilers.selectedSections;
/** All there is, traces of earlier runs included. */
export const allSections: MessageCompiler = compilers.allSections;
