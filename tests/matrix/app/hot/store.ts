import { createAgentSession } from '@vitrine/core';
import { memorySessions } from '@vitrine/persist';
import { answering } from '../agents.ts';

// The test has this module evaluated again, as an edit would.
export const sessions = memorySessions();
export const agent = answering('scribe', ['the ', 'answer']);
export const session = createAgentSession({ agent });
