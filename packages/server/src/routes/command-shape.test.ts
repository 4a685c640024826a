import { describe, expect, it } from 'vitest';
import { readCommand } from './command-shape.ts';

describe('the command that lets a run go on', () => {
  const command = { type: 'continue', id: 'c1', grant: { steps: 2, cost: 0.5 }, executionId: 'e1', at: 5 };

  it('a grant travels to the server, and none stands for every reached limit once more', () => {
    expect(readCommand(command)).toEqual({ command });
    expect(readCommand({ ...command, grant: null })).toEqual({ command: { ...command, grant: null } });
  });

  it.each([{ steps: -1 }, { steps: '2' }, { dollars: 1 }])('a grant of %j is refused', (grant) => {
    expect(readCommand({ ...command, grant })).toHaveProperty('issue');
  });
});

describe('the command that rates an answer', () => {
  const command = { type: 'rate', id: 'c1', messageId: 'm1', rating: 'down', text: 'Too short.' };

  it('a thumb with a reason travels to the server, and so does one that is taken back', () => {
    expect(readCommand(command)).toEqual({ command });
    const taken = { type: 'rate', id: 'c1', messageId: 'm1', rating: null };
    expect(readCommand(taken)).toEqual({ command: taken });
  });

  it.each([{ rating: 'so so' }, { text: 'x'.repeat(2_001) }, { messageId: 7 }, { by: 'eve' }])(
    'feedback with %j is refused',
    (wrong) => {
      expect(readCommand({ ...command, ...wrong })).toHaveProperty('issue');
    },
  );
});

describe('the command that chooses a model', () => {
  const command = { type: 'choose-model', id: 'c1', model: 'p:large', reasoning: 'high' };

  it('a model with its effort travels to the server, and so does the way back to the usual ones', () => {
    expect(readCommand(command)).toEqual({ command });
    const usual = { ...command, model: null, reasoning: null };
    expect(readCommand(usual)).toEqual({ command: usual });
  });

  it.each([{ model: 7 }, { model: 'x'.repeat(201) }, { reasoning: {} }, { settings: { seed: 1 } }])(
    'a choice with %j is refused',
    (wrong) => {
      expect(readCommand({ ...command, ...wrong })).toHaveProperty('issue');
    },
  );
});

describe('the command that sets a breakpoint', () => {
  const withCondition = (on: unknown): object => ({
    type: 'debug',
    id: 'c1',
    action: { type: 'set', breakpoint: { id: 'b1', on, isOnce: false } },
  });

  it.each([
    { type: 'next' },
    { type: 'tool', toolName: 'pay', isAfter: true, input: { to: { name: 'eve' } }, agent: 'clerk' },
    { type: 'step', stepType: 'error' },
    { type: 'budget', limit: 'cost', left: 1 },
    { type: 'cost', over: 0.5 },
    { type: 'finding', code: null },
  ])('a condition of %j travels to the server', (on) => {
    expect(readCommand(withCondition(on))).toEqual({ command: withCondition(on) });
  });

  it.each([
    null,
    { type: 'never' },
    { type: 'tool' },
    { type: 'tool', toolName: 'pay', input: 'eve' },
    { type: 'cost', over: '1' },
    { type: 'tool', toolName: 'x'.repeat(2_001) },
  ])('a condition of %j is refused', (on) => {
    expect(readCommand(withCondition(on))).toHaveProperty('issue');
  });
});
