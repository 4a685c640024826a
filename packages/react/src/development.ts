declare const process: { env: { NODE_ENV?: string } };

/**
 * Reads the build mode. Bundlers replace the expression; without a bundler `process` may not exist, which
 * counts as production.
 */
export const isDevelopment: boolean = mode() !== 'production';

function mode(): string | undefined {
  try {
    return process.env.NODE_ENV;
  } catch {
    return 'production';
  }
}

const named = new WeakSet<object>();

/**
 * Logs a mistake of the application once for each culprit, in development only. The sentences are loaded on
 * demand.
 */
export function warnOnce(culprit: object, say: (warnings: typeof import('./warnings.ts')) => string): void {
  if (!isDevelopment || named.has(culprit)) return;
  named.add(culprit);
  void import('./warnings.ts').then((warnings) => {
    // oxlint-disable-next-line no-console -- a mistake that needs no crash belongs in the console
    console.error(`Vitrine: ${say(warnings)}`);
  });
}
