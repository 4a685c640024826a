/** What Chromium and Firefox, Safari and webpack say where a part of a page does not come, with its address. */
const said =
  /dynamically imported module|importing a module script failed|loading (?:css )?chunk \S+ failed/i;

/** What a person is told instead: an address of a file says nothing to them. */
export const missingPart =
  'A part of this page could not be loaded. See whether you are online, and reload the page.';

/** True for the error of a part of the page that did not come, as when the page went offline. */
export function isFailedImport(error: { readonly code: string | null; readonly message: string }): boolean {
  return error.code === null && said.test(error.message);
}
