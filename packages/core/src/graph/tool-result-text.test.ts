import { expect, it } from 'vitest';
import { toolResultText } from './tool-result-text.ts';

it('a result is told to a model as text: strings as they are, else as JSON', () => {
  const values = ['str', { a: 1 }, [1, 'b'], null, true, 42];
  expect(values.map(toolResultText)).toEqual(['str', '{"a":1}', '[1,"b"]', 'null', 'true', '42']);
});
