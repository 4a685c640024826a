/** Connects when the code is there, unless it was ended before. @returns the function that ends it */
export function whenLoaded(load: () => Promise<() => () => void>): () => void {
  let isOver = false;
  let disconnect = (): void => {
    isOver = true;
  };
  load().then(
    (connect) => {
      if (!isOver) disconnect = connect();
    },
    // A failed import is no error of the page: only what was loaded does not begin.
    () => undefined,
  );
  return () => disconnect();
}
