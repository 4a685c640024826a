declare const process: { env: { NODE_ENV?: string } };

/** False in production builds. Bundlers replace the expression; where nothing does, there may be no `process`. */
export const isDevelopment: boolean = mode() !== 'production';

function mode(): string | undefined {
  try {
    return process.env.NODE_ENV;
  } catch {
    return 'production';
  }
}

const named = new WeakSet<object>();

/** Names a mistake of the application, once for each culprit, and in development only: the sentences are loaded then. */
export function complainOnce(
  culprit: object,
  say: (complaints: typeof import('./complaints.ts')) => string,
): void {
  if (!isDevelopment || named.has(culprit)) return;
  named.add(culprit);
  void import('./complaints.ts').then((complaints) => {
    // oxlint-disable-next-line no-console -- where a mistake is not worth a crash, the console is where developers look
    console.error(`Vitrine: ${say(complaints)}`);
  });
}
