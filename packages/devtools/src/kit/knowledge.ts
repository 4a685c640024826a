import type { SourceKnowledge } from '@vitrine/inspect';
import { type Context, createContext } from 'react';

/** The knowledge of a session of this library. */
export const everything: SourceKnowledge = { prompt: true, usage: true, times: true, results: true };

/** Context: the facts that the source of the shown record can tell. Views say of others that they are not known. */
export const Knowledge: Context<SourceKnowledge> = createContext(everything);
