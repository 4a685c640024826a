/** What a timer can wait at most, about 24.8 days; more makes it fire at once. */
export const longestTimerMs = 2 ** 31 - 1;
