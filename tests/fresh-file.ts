import { vi } from 'vitest';

// The files of a worker share its modules, which saves a third of the work of all tests in Node. What one of them has left
// does not reach the next: open sessions, clocks, spies and variables.
Reflect.deleteProperty(globalThis, Symbol.for('vitrine.session-hub.2'));
vi.useRealTimers();
vi.restoreAllMocks();
vi.unstubAllGlobals();
vi.unstubAllEnvs();
