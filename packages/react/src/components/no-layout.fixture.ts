import { vi } from 'vitest';

/** For test environments that have no layout: what watches sizes sees none change. Until globals are unstubbed. */
export function stubLayout(): void {
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
}
