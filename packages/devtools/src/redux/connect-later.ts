/**
 * Loads the Redux DevTools bridge and connects it.
 * @param refusal The sentence for a state that cannot be applied.
 * @returns The function that disconnects it.
 */
export function connectLater(refusal: string): () => void {
  let isOver = false;
  let disconnect = (): void => {
    isOver = true;
  };
  import('./connect-redux-devtools.ts').then(
    ({ connectReduxDevtools }) => {
      if (!isOver) disconnect = connectReduxDevtools(refusal);
    },
    // A failed import is no error of the page: only the extension stays disconnected.
    () => undefined,
  );
  return () => disconnect();
}
