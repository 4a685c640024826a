/** Passes on the result of a promise, or that there is none, unless the returned function was called before. */
export function takeUnlessLeft<Value>(
  asked: Promise<Value>,
  take: (value: Value) => void,
  onFailure: () => void = () => undefined,
): () => void {
  let isLeft = false;
  asked.then(
    (value) => (isLeft ? undefined : take(value)),
    () => (isLeft ? undefined : onFailure()),
  );
  return () => void (isLeft = true);
}
