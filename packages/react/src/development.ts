import type { ErrorInfo } from '@vitrine/core';
import { isDevelopment } from '@vitrine/core/internal/kit/freeze';

declare const process: { env: { NODE_ENV?: string } };

const named = new WeakSet<object>();

/** Logs a mistake of the application once for each culprit, in development only. The sentences are loaded on demand. */
export function warnOnce(culprit: object, say: (warnings: typeof import('./warnings.ts')) => string): void {
  // The expression itself, so that a bundler leaves the sentences out of a production build.
  if (isDevelopment && process.env.NODE_ENV !== 'production' && !named.has(culprit)) {
    named.add(culprit);
    void import('./warnings.ts').then((warnings) => {
      // oxlint-disable-next-line no-console -- a mistake that needs no crash belongs in the console
      console.error(`Vitrine: ${say(warnings)}`);
    });
  }
}

const readers = new WeakSet<object>();

/** Records that a component reads the error of the session with this store. */
export function noteErrorReader(store: object): void {
  if (isDevelopment && process.env.NODE_ENV !== 'production') readers.add(store);
}

/** Long enough for a component that reads the error only once there is one, in milliseconds. */
const untilReadMs = 50;

/** Logs the error of a failed turn in development, unless a user of the session or a component takes errors. */
export function reportUnreadError(
  store: object,
  users: Iterable<{ readonly settings: () => { readonly onError?: unknown } }>,
  error: ErrorInfo | null,
): void {
  if (isDevelopment && process.env.NODE_ENV !== 'production' && error !== null)
    setTimeout(() => {
      const isTaken = [...users].some((user) => user.settings().onError !== undefined);
      if (!isTaken && !readers.has(store)) warnOnce(error, ({ unreadError }) => unreadError(error));
    }, untilReadMs);
}
