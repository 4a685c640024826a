import { pageFrames } from '@vitrine/core/internal/kit/frame-scheduler';
import { vi } from 'vitest';

// The files of a worker share its modules, which saves a third of the work of all tests in Node. What one of them has left
// does not reach the next: open sessions, clocks, spies and variables.
// A page keeps its hub (tests/fresh-page.ts).
if (typeof document === 'undefined') Reflect.deleteProperty(globalThis, Symbol.for('vitrine.session-hub.2'));
// Node loads its fetch at the first use, and that keeps the clock of this moment.
void globalThis.Response;
// Sessions of the next file get frames of their own: those before may wait for timers that a test has taken away.
vi.useFakeTimers();
pageFrames();
vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllGlobals();
vi.unstubAllEnvs();
