/** What is known at once, or comes. */
export type Answer<Value> = Value | Promise<Value>;

/** Goes on with an answer: before it returns with what is known at once, which waits for no promise. */
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
