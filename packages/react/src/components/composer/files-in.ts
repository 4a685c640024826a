/** Tells whether a drag or paste contains files, alone or beside other data. */
export function hasFiles({ types }: DataTransfer): boolean {
  return types.includes('Files');
}

/**
 * The files that a paste should attach. None when a program added a picture of the pasted text, as
 * spreadsheets and word processors do.
 */
export function pastedFiles({ types, files }: DataTransfer): readonly File[] {
  // A picture copied from a web page comes with HTML only, and a file from a folder with its name only.
  return types.includes('text/plain') && types.includes('text/html') ? [] : [...files];
}
