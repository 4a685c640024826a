/** Loads the Redux DevTools bridge and connects it. @returns The function that disconnects it. */
export function connectLater(): () => void {
  let isOver = false;
  let disconnect = (): void => {
    isOver = true;
  };
  import('./connect-redux-devtools.ts').then(
    ({ connectReduxDevtools }) => {
      if (!isOver) disconnect = connectReduxDevtools();
    },
    // A failed import is no error of the page: only the extension stays disconnected.
    () => undefined,
  );
  return () => disconnect();
}
