/** The English texts of the notes of a model. They load with them. */
export const noteTexts = {
  title: (count: number): string => `Notes: ${count}`,
  newNote: 'New note',
  add: 'Add',
  remove: (note: string): string => `Delete “${note}”`,
};
export type NoteTexts = typeof noteTexts;
