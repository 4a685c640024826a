import { expect, it } from 'vitest';
import type { JsonValue } from '../kit/json.ts';
import { ofCall, subagentName, toolResultText } from './tool-execution.ts';

it('a result is text for a model: strings unchanged, other values as JSON', () => {
  const values = ['str', { a: 1 }, [1, 'b'], null, true, 42];
  expect(values.map(toolResultText)).toEqual(['str', '{"a":1}', '[1,"b"]', 'null', 'true', '42']);
});

it('a subagent has the name in the input of its call, and else that of the tool', () => {
  const inputs = [
    { agent: 'scout', task: 'Look' },
    { agent: '' },
    { agent: 5 },
    { topic: 'tea' },
    'tea',
    null,
  ];
  const nameOf = (input: JsonValue): string =>
    subagentName(ofCall({ id: 'c', name: 'research', input, providerCallId: null }));
  expect(inputs.map(nameOf)).toEqual(['scout', ...Array.from({ length: 5 }, () => 'research')]);
});
