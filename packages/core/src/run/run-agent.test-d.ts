import { describe, expectTypeOf, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '../agent/define-agent.ts';
import { runAgent, type RunAgentResult } from '../agent-loop/run-agent.ts';

const typed = defineAgent({ responseFormat: z.object({ answer: z.string() }) });
const plain = defineAgent({});

describe('the types of runAgent', () => {
  it('runAgent knows the type of the output', async () => {
    const { output } = await runAgent(typed, 'x');
    expectTypeOf(output).toEqualTypeOf<{ answer: string } | undefined>();
    // @ts-expect-error there may be no output
    void output.answer;
    expectTypeOf<RunAgentResult<typeof plain>['output']>().toEqualTypeOf<undefined>();
    expectTypeOf<RunAgentResult['output']>().toEqualTypeOf<unknown>();
  });

  it('runAgent takes a text or messages', () => {
    // @ts-expect-error a number is no question
    void runAgent(plain, 5);
  });
});
