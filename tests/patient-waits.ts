import { vi } from 'vitest';

// A second, the default of `vi.waitFor`, may pass on a busy machine before a module is loaded.

const { waitFor } = vi;
const patience = { timeout: 15_000 };

vi.waitFor = (callback, options = {}) =>
  waitFor(callback, typeof options === 'number' ? options : { ...patience, ...options });
