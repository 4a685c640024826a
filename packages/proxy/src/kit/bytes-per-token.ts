/** Assumed bytes per token, on the safe side. Used only where a provider reports no usage. */
export const bytesPerToken = 3;
