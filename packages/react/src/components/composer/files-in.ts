/** Whether files are dragged or pasted, alone or beside something else. */
export function hasFiles({ types }: DataTransfer): boolean {
  return types.includes('Files');
}

/** The files that a person means who pastes: programs for tables and letters put a picture of a text beside it. */
export function pastedFiles({ types, files }: DataTransfer): readonly File[] {
  // Pictures of a page come as HTML alone, and files of a folder with their names alone.
  return types.includes('text/plain') && types.includes('text/html') ? [] : [...files];
}
