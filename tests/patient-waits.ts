import { vi } from 'vitest';

// A second, the default of `vi.waitFor`, may pass on a busy machine before a module is loaded.

const { waitFor } = vi;
const patience = { timeout: 15_000 };

const waitPatiently: typeof waitFor = (callback, options = {}) =>
  waitFor(callback, typeof options === 'number' ? options : { ...patience, ...options });

// The files of a worker share `vi`.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently;
