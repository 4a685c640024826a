/** A function of the application that harms nobody when it throws: no answer must fail because its log does. */
export function harmless<Value>(tell: (value: Value) => void): (value: Value) => void {
  return (value) => {
    try {
      tell(value);
    } catch {
      // There is nobody left to tell.
    }
  };
}
