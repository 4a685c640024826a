import { describe, expect, it } from 'vitest';
import { type Message, user } from '../message.ts';
import { create } from './create.ts';
import { withLlmConfig, withMessages, withMetadata, withUserMessage } from './transitions.ts';
import { messages } from './accessors.ts';

const llmConfig = () => ({ model: 'm', settings: { stop: ['x'] }, prices: { m: { input: 1, output: 2 } } });

describe('values that are given to a state', () => {
  it('a given value is copied, so that the caller may change its own', () => {
    const message = user('Hello');
    const init = {
      metadata: { tags: ['a'] },
      messages: [message],
      llmConfig: llmConfig(),
      responseFormat: { type: 'json' as const, schema: { required: ['a'] } },
    };
    const state = create(init);
    const before = JSON.stringify(state);

    init.metadata.tags.push('b');
    (message.parts as unknown[]).push({});
    init.messages.pop();
    init.llmConfig.settings.stop.push('y');
    init.llmConfig.prices.m.input = 9;
    init.responseFormat.schema.required.push('b');

    expect(JSON.stringify(state)).toBe(before);
    expect(messages(state)).toMatchObject([{ parts: [{ text: 'Hello' }] }]);
  });

  it('a given value that could not be saved is repaired', () => {
    const odd = { role: 'user', parts: [{ type: 'file', url: '/a' }], createdAt: 1.5 } as unknown as Message;
    const state = withUserMessage(create({ metadata: { seen: new Set() as never } }), odd);

    expect(state.context.metadata).toEqual({ seen: '[Set]' });
    expect(messages(state)).toMatchObject([
      { id: expect.stringMatching(/./), createdAt: 2, parts: [{ filename: null }] },
    ]);
    expect(() => withMessages(state, [{} as Message])).toThrow(
      expect.objectContaining({ code: 'message-invalid' }),
    );
  });

  it('a given message that is part of the state keeps its identity', () => {
    const state = create({ messages: [user('One'), user('Two')] });
    const loaded = JSON.parse(JSON.stringify(state)) as typeof state;

    const fewer = withMessages(loaded, [...messages(loaded).slice(1), user('Three')]);

    expect(messages(fewer)[0]).toBe(messages(loaded)[1]);
    expect(messages(fewer)).toHaveLength(2);
  });

  it('a given value that equals the current one changes nothing', () => {
    const state = withLlmConfig(withMetadata(create(), { tags: ['a'] }), llmConfig());

    expect(withMetadata(state, { tags: ['a'] })).toBe(state);
    expect(withLlmConfig(state, state.llmConfig)).toBe(state);
    expect(withMetadata(state, { tags: ['b'] }).context.metadata).toEqual({ tags: ['b'] });
  });

  it('a given configuration is rejected when its settings hold a secret', () => {
    const secret = { model: null, settings: { apiKey: 'k' } };

    for (const give of [() => create({ llmConfig: secret }), () => withLlmConfig(create(), secret)]) {
      expect(give).toThrow(
        expect.objectContaining({ code: 'llm-settings-secret', data: { path: 'apiKey' } }),
      );
    }
  });
});
