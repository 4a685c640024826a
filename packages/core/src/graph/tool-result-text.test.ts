import { expect, it } from 'vitest';
import { toolResultText } from './tool-execution.ts';

it('a result is text for a model: strings unchanged, other values as JSON', () => {
  const values = ['str', { a: 1 }, [1, 'b'], null, true, 42];
  expect(values.map(toolResultText)).toEqual(['str', '{"a":1}', '[1,"b"]', 'null', 'true', '42']);
});
