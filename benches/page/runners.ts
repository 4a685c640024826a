import { runDevice } from './run-device.tsx';
import { runMarkdown } from './run-markdown.tsx';
import { runPanelHeap } from './run-panel-heap.ts';
import { runPanelMoves } from './run-panel-moves.ts';
import { runPanel } from './run-panel.ts';
import { runSessions } from './run-sessions.tsx';
import { runSteps } from './run-steps.tsx';
import { runStores } from './run-stores.ts';
import { runTurns } from './run-turns.tsx';

/** Runners that prepare a page and return the measured function. */
export const runners = {
  runTurns,
  runSessions,
  runSteps,
  runPanel,
  runPanelMoves,
  runPanelHeap,
  runMarkdown,
  runStores,
  runDevice,
};
