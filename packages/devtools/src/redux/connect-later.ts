/** Loads what tells the Redux DevTools extension, and connects it. @returns The function that ends it. */
export function connectLater(): () => void {
  let isOver = false;
  let disconnect = (): void => {
    isOver = true;
  };
  void import('./connect-redux-devtools.ts').then(({ connectReduxDevtools }) => {
    if (!isOver) disconnect = connectReduxDevtools();
  });
  return () => disconnect();
}
