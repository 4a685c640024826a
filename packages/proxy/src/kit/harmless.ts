/** Wraps a function of the application so that an error in it is ignored: no answer must fail because its log does. */
export function harmless<Value>(tell: (value: Value) => void): (value: Value) => void {
  return (value) => {
    try {
      tell(value);
    } catch {
      // The log itself failed, so nobody can be told.
    }
  };
}
