/** A value, or a promise of it where it is not known yet. */
export type Answer<Value> = Value | Promise<Value>;

/**
 * Calls the continuation with an answer. A value that is known at once is handed on synchronously, without a promise.
 */
export function whenAnswered<Value>(
  answer: Answer<Value>,
  onValue: (value: Value) => void,
  onError: (error: unknown) => void,
): void {
  if (isComing(answer)) answer.then(onValue, onError);
  else onValue(answer);
}

function isComing<Value>(answer: Answer<Value>): answer is Promise<Value> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}
