declare const process: { env: { NODE_ENV?: string } } | undefined;

/** False in production builds: bundlers replace the expression, so that what it guards is dropped. */
export const isDevelopment: boolean =
  typeof process === 'undefined' ? false : process.env.NODE_ENV !== 'production';
