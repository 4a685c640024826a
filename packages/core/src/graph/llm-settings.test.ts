import { describe, expect, it } from 'vitest';
import { checkSettings, secretPaths, ownLlmConfig, readSettings } from './llm-config.ts';

const ordinary = { temperature: 0.5, max_tokens: 100, stopSequences: ['x'], headers: { 'x-trace': 'on' } };
const secret = {
  ...ordinary,
  apiKey: 'k',
  nested: [{ headers: { Authorization: 'Bearer x', accept: '*/*' } }],
};

describe('the check of settings', () => {
  it('checkSettings copies settings as JSON', () => {
    const settings = checkSettings({ ...ordinary, until: new Date(0), skip: undefined });

    expect(settings).toStrictEqual({ ...ordinary, until: '1970-01-01T00:00:00.000Z' });
    expect(settings['headers']).not.toBe(ordinary.headers);
    expect(checkSettings(undefined)).toStrictEqual({});
  });

  it.each([
    [{ apiKey: 'k' }, 'apiKey'],
    [{ openai: { api_key: 'k' } }, 'openai.api_key'],
    [{ headers: { Authorization: 'Bearer x' } }, 'headers.Authorization'],
    [{ list: [{}, { token: 't' }] }, 'list.1.token'],
    [{ password: null }, 'password'],
  ])('checkSettings rejects settings that look like a secret: %j', (settings, path) => {
    expect(() => checkSettings(settings, 'Agent "a": llmConfig')).toThrow(
      expect.objectContaining({
        code: 'llm-settings-secret',
        message: expect.stringContaining(`Agent "a": llmConfig.settings.${path} looks like a secret`),
        data: { path },
      }),
    );
  });

  it('checkSettings does not repeat the secret that it rejects', () => {
    try {
      checkSettings({ apiKey: 'sk-planted' });
      expect.unreachable();
    } catch (error) {
      expect(`${error} ${JSON.stringify(error)}`).not.toContain('sk-planted');
    }
  });
});

describe('the copy of a configuration', () => {
  it('ownLlmConfig keeps the values that can be saved and read again', () => {
    const prices = {
      a: { input: 1, output: 2, cacheRead: 0.5 },
      b: { input: Number.NaN, output: 1 },
      c: null,
    };

    expect(ownLlmConfig({ model: 5, settings: {}, prices } as never)).toStrictEqual({
      model: null,
      settings: {},
      prices: { a: { input: 1, output: 2, cacheRead: 0.5 } },
    });
    expect(ownLlmConfig({ model: 'm' } as never)).toStrictEqual({ model: 'm', settings: {} });
  });
});

describe('the settings of a stored document', () => {
  it('readSettings leaves out secrets at any depth, and reports their paths', () => {
    expect(readSettings(secret)).toStrictEqual({
      settings: { ...ordinary, nested: [{ headers: { accept: '*/*' } }] },
      leftOut: ['apiKey', 'nested.0.headers.Authorization'],
    });
    expect(secretPaths(readSettings(secret).settings)).toEqual([]);
  });

  it('readSettings returns settings without a secret unchanged', () => {
    expect(readSettings(ordinary).settings).toBe(ordinary);
    expect(readSettings(ordinary).leftOut).toEqual([]);
  });
});
