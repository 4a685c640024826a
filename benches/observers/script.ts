/** The number of deltas of an answer, and the text of each. */
export const deltas = 1500;
export const words = 'word ';
