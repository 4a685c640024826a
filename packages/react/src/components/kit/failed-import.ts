/**
 * Messages of Chromium and Firefox, Safari and webpack for a module that failed to load. They contain the
 * URL.
 */
const said =
  /dynamically imported module|importing a module script failed|loading (?:css )?chunk \S+ failed/i;

/**
 * Tells whether an error means that a module of the page failed to load, e.g. because the page went
 * offline. A person cannot use the URL in its message.
 */
export function isFailedImport(error: { readonly code: string | null; readonly message: string }): boolean {
  return error.code === null && said.test(error.message);
}
