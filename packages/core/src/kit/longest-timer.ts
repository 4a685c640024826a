/** Longest delay of a timer, about 24.8 days; longer ones fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
