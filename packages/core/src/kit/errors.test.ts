import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentError, isAgentError, wireErrorCode } from './agent-error.ts';
import * as errors from './errors.ts';
import { errorTable } from './errors/error-table.ts';
import { explainError } from './explain-error.ts';
import { maskSecrets } from './mask-secrets.ts';

const sources = join(import.meta.dirname, '../../../..');
const files = globSync('{packages,bridges}/*/src/**/*.{ts,tsx}', { cwd: sources }).filter(
  (file) => !file.includes('.test'),
);

describe('errorTable', () => {
  it.each(Object.entries(errorTable))(
    'the code %s has a text for a person, a developer and an operator',
    (code, texts) => {
      expect(code).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(Object.keys(texts).sort()).toEqual(['fix', 'operator', 'person']);
      for (const sentence of Object.values(texts)) {
        expect(sentence).toMatch(/^[A-Z].{8,180}\.$/);
        expect(maskSecrets(sentence)).toBe(sentence);
      }
      // Names of settings, codes or variables are not shown to a person.
      expect(texts.person).not.toMatch(/[A-Z]_|[a-z][A-Z]|`|<|agent/);
    },
  );

  it('the table has every code that the packages throw', () => {
    const thrown = files.flatMap((file) => {
      const text = readFileSync(join(sources, file), 'utf8');
      return [...text.matchAll(/new AgentError\(\s*'([^']+)'/g)].map(([, code]) => code);
    });

    expect(thrown.length).toBeGreaterThan(10);
    expect(thrown.filter((code) => !Object.hasOwn(errorTable, code ?? ''))).toEqual([]);
  });
});

describe('the codes between a page, a proxy and a provider', () => {
  const said = files
    .filter((file) =>
      /^(?:packages\/proxy\/src|packages\/core\/src\/model|bridges\/ai-sdk\/src\/model)\//.test(
        file.replaceAll('\\', '/'),
      ),
    )
    .flatMap((file) => {
      const text = readFileSync(join(sources, file), 'utf8');
      const codes = text.matchAll(
        /\bcode: '([^']+)'|\[\d{3}, '([^']+)'|\b(?:error|event|told|fail\w*)\(\s*'([a-z]+-[a-z-]+)'|\[\s*'([a-z]+-[a-z-]+)',\s*'[A-Z]/g,
      );
      return [...codes].map(([, ...found]) => found.find(Boolean) ?? '');
    });

  it('every code on the wire has its three texts: in error answers, at the end of streams and from upstreams', () => {
    expect(new Set(said).size).toBeGreaterThan(35);
    // One code of each kind, which proves that the search finds them.
    for (const code of ['shutting-down', 'stream-too-long', 'upstream-quota-exhausted', 'stream-incomplete'])
      expect(said).toContain(code);
    expect(said.filter((code) => !Object.hasOwn(errorTable, code))).toEqual([]);
  });
});

describe('the functions that create errors', () => {
  const made: AgentError[] = [
    errors.agentInvalid('Agent "a" has no name; give it one.'),
    errors.attachmentTooLarge({ filename: 'a.png', size: 9, limit: 8 }),
    errors.budgetInvalid('The budget has no limit "x"; use maxSteps.', { limit: 'x' }),
    errors.envInvalid({ id: '1' }),
    errors.idInvalid({ value: '1' }),
    errors.llmSettingsSecret({ path: 'apiKey', owner: 'Agent "a"' }),
    errors.messageInvalid('messages[1] has no list of parts.', { place: 'messages[1]' }),
    errors.runtimeLacks('TextEncoder'),
    errors.signalInvalid({ reason: 'x', known: ['stop-requested'] }),
    errors.stateInvalid({ path: '', what: 'expected object' }),
    errors.stateVersionUnsupported({
      kind: 'agent-state',
      path: '',
      version: 9,
      supported: 1,
      advice: 'Update.',
    }),
    errors.toolNotFound({ toolName: 'x', available: [] }),
    errors.toolsDuplicate({
      owner: 'Agent "a"',
      toolName: 'x',
      why: 'two tools are named "x"; rename one of them.',
    }),
    errors.userCodeTimeout({ author: 'hook "audit"', timeoutMs: 5 }),
  ];

  it('each error of the table has a whole sentence and data that is JSON', () => {
    expect(made).toHaveLength(Object.keys(errors).length);
    for (const error of made) {
      expect(isAgentError(error)).toBe(true);
      expect(Object.hasOwn(errorTable, error.code)).toBe(true);
      expect(error.message).toMatch(/^\S.*\.$/);
      expect(JSON.parse(JSON.stringify(error.data))).toEqual(error.data);
    }
  });

  it('a not-found error names the requested value and the available ones', () => {
    expect(errors.toolNotFound({ toolName: 'serch', available: ['search', 'pay'] })).toMatchObject({
      code: 'tool-not-found',
      message: 'Tool "serch" not found. Available: search, pay.',
      data: { toolName: 'serch', availableTools: ['search', 'pay'] },
    });
    expect(errors.stateInvalid({ path: '', what: 'expected object' }).message).toBe(
      'Stored state is invalid at its root: expected object.',
    );
  });
});

describe('the explanation of an error', () => {
  it('explainError returns the texts of the code, with the known details for the operator', () => {
    const error = new AgentError('upstream-unauthorized', 'no', {
      data: { provider: 'openai', variable: 'OPENAI_API_KEY', requestId: 'req_1', status: 401, other: 'x' },
    });

    expect(explainError(error)).toEqual({
      ...errorTable['upstream-unauthorized'],
      code: 'upstream-unauthorized',
      explanation: null,
      operator: `${errorTable['upstream-unauthorized'].operator} (provider openai, status 401, environment variable OPENAI_API_KEY, request req_1)`,
    });
    expect(explainError({ code: 'tool-failed' })).toMatchObject(errorTable['tool-failed']);
  });

  it('explainError shows an operator no secret and no value that is not text', () => {
    const data = { model: 'Bearer abc123def456', provider: '', requestId: { id: 1 } };

    expect(explainError({ code: 'tool-failed', data }).operator).toBe(
      `${errorTable['tool-failed'].operator} (model Bearer •••)`,
    );
  });

  it.each([
    ['http-401', 'unauthorized'],
    ['http-404', 'not-found'],
    ['http-413', 'body-too-large'],
    ['http-429', 'upstream-rate-limited'],
    ['http-422', 'invalid-request'],
    ['http-503', 'internal-error'],
    ['upstream-overloaded', 'upstream-error'],
    ['toString', 'upstream-error'],
  ] as const)('explainError explains %s like %s', (code, nearest) => {
    expect(explainError({ code })).toEqual({ ...errorTable[nearest], code: nearest, explanation: null });
  });

  it('explainError blames no provider for an error without a code, which a hook, a store or the page has thrown', () => {
    const { person, fix, operator, code } = explainError({ code: null });
    expect(code).toBeNull();
    for (const text of [person, fix, operator]) expect(text).not.toMatch(/provider|server|proxy/i);
  });
});

describe('the code of an error on the wire', () => {
  it('wireErrorCode keeps the code of a server, unless it is empty', () => {
    expect(wireErrorCode('quota')).toBe('quota');
    expect(wireErrorCode('')).toBe('upstream-error');
  });
});
