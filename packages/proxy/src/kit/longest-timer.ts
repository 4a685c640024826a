/** The longest delay of a timer, about 24.8 days; a longer one fires at once. */
export const longestTimerMs = 2 ** 31 - 1;
