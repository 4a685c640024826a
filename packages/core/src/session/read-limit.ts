/** The time limit of a read in milliseconds. After it people are told that the store does not answer. */
export const readLimitMs = 10_000;
