/** Loads what tells the Redux DevTools extension, and connects it. @returns The function that ends it. */
export function connectLater(): () => void {
  let isOver = false;
  let disconnect = (): void => {
    isOver = true;
  };
  import('./connect-redux-devtools.ts').then(
    ({ connectReduxDevtools }) => {
      if (!isOver) disconnect = connectReduxDevtools();
    },
    // What could not be loaded is no error of the page: the extension hears nothing, and all else goes on.
    () => undefined,
  );
  return () => disconnect();
}
