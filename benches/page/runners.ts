import { runMarkdown } from './run-markdown.tsx';
import { runPanel } from './run-panel.ts';
import { runSessions } from './run-sessions.tsx';
import { runSteps } from './run-steps.tsx';
import { runStores } from './run-stores.ts';
import { runTurns } from './run-turns.tsx';

/** Each gets a page ready, and gives back what is then measured. */
export const runners = { runTurns, runSessions, runSteps, runPanel, runMarkdown, runStores };
