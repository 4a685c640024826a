/** The sentences that the Redux DevTools extension shows, in English. */
export const reduxTexts = {
  /** The answer to a request of the Redux DevTools extension. */
  refused:
    'This state cannot be applied. It is not the state of an agent, or it contains redacted secrets that cannot be restored.',
};
