import { describe, expect, expectTypeOf, it } from 'vitest';
import { AgentState, defineTool, type JsonObject, runAgent } from '@vitrine/core';
import { scriptedAgent } from '@vitrine/testing/internal/fixtures';
import { jsonSchemaInput } from './json-schema-input.ts';
import { inputSchemaOf } from './json-schema-of.ts';
import { parse } from './schema.ts';

const schema = {
  type: 'object',
  properties: { city: { type: 'string', minLength: 2 }, days: { $ref: '#/$defs/days' } },
  required: ['city'],
  additionalProperties: false,
  $defs: { days: { type: 'integer', maximum: 7 } },
} as const;

describe('a tool with a JSON Schema as input', () => {
  it('a call with fitting arguments runs, and one with wrong arguments fails with their place', async () => {
    const seen: JsonObject[] = [];
    const forecast = defineTool({
      name: 'forecast',
      description: 'Tells the weather of the next days',
      input: schema,
      execute(input) {
        expectTypeOf(input).toEqualTypeOf<JsonObject>();
        seen.push(input);
        return 'sunny';
      },
    });
    const agent = scriptedAgent(
      [
        {
          toolCalls: [
            { name: 'forecast', input: { city: 'Bern', days: 3 } },
            { name: 'forecast', input: { city: 'Bern', days: 30 } },
            { name: 'forecast', input: { days: 1 } },
          ],
        },
        { text: 'Done' },
      ],
      { tools: [forecast] },
    );

    const { state } = await runAgent(agent, 'How will it be?');

    const [step] = AgentState.steps(state);
    expect(seen).toEqual([{ city: 'Bern', days: 3 }]);
    expect(step?.toolExecutions.map(({ status }) => status)).toEqual(['completed', 'failed', 'failed']);
    expect(step?.toolExecutions[1]?.error?.message).toContain('days: 30 is greater than 7');
    expect(step?.toolExecutions[2]?.error?.message).toContain('required property "city"');
  });

  it('the model is sent the schema as it was given', async () => {
    const tool = defineTool({ name: 't', description: '', input: schema });
    expect(await parse(tool.input!, { city: 'Bern' })).toEqual({ ok: true, value: { city: 'Bern' } });
    expect(inputSchemaOf(tool)).toEqual(schema);
  });

  it('a schema of an earlier draft is read by its rules', async () => {
    const bounded = { type: 'object', properties: { n: { maximum: 3, exclusiveMaximum: true } } };
    const input = jsonSchemaInput({ $schema: 'http://json-schema.org/draft-04/schema#', ...bounded });
    expect(await parse(input, { n: 3 })).toMatchObject({ ok: false, issues: [{ path: 'n' }] });
    expect(await parse(input, { n: 2 })).toMatchObject({ ok: true });
  });
});
