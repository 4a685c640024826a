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
