import { vi } from 'vitest';

/**
 * Stubs `ResizeObserver` in test environments without layout, until globals are unstubbed. It never reports
 * a change.
 */
export function stubLayout(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
}
