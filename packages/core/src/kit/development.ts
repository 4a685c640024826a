declare const process: { env: { NODE_ENV?: string } };

/** False in production builds. Bundlers replace the expression; without a bundler there may be no `process`. */
export const isDevelopment: boolean = mode() !== 'production';

function mode(): string | undefined {
  try {
    return process.env.NODE_ENV;
  } catch {
    return 'production';
  }
}
