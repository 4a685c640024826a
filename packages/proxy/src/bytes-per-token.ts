/** A rule of thumb, on the safe side; only used where a provider has not said what it counted. */
export const bytesPerToken = 3;
