import { fileURLToPath } from 'node:url';
import { defineConfig } from 'oxlint';

const path = (specifier: string): string => fileURLToPath(import.meta.resolve(specifier));

/** The rules of React's compiler. */
const ofCompiler = [
  'static-components',
  'use-memo',
  'void-use-memo',
  'preserve-manual-memoization',
  'incompatible-library',
  'immutability',
  'globals',
  'refs',
  'set-state-in-effect',
  'error-boundaries',
  'purity',
  'set-state-in-render',
  'unsupported-syntax',
];
const rulesOfCompiler = Object.fromEntries(ofCompiler.map((rule) => [`react/${rule}`, 'error' as const]));

export default defineConfig({
  plugins: ['typescript', 'import', 'react', 'react-perf', 'unicorn', 'oxc'],
  jsPlugins: [{ name: 'vitrine', specifier: path('./scripts/lint/plugin.ts') }],
  categories: { correctness: 'error' },
  ignorePatterns: ['**/dist/**', '**/node_modules/**', 'tests/peers/.examples/**'],
  rules: {
    ...rulesOfCompiler,
    'react/rules-of-hooks': 'error',
    'react/exhaustive-deps': 'error',
    'import/no-cycle': ['error', { ignoreTypes: false }],
    'import/no-default-export': 'error',
    'import/no-duplicates': ['error', { preferInline: true }],
    'no-console': 'error',
    'typescript/no-explicit-any': 'error',
    'unicorn/no-useless-undefined': 'off',
    'vitrine/direction': 'error',
    'vitrine/zod': 'error',
    'vitrine/one-place-of-change': 'error',
    'vitrine/linear-patterns': 'error',
    'vitrine/bounded-recursion': 'error',
    'vitrine/function-names': 'error',
  },
  overrides: [
    {
      files: ['**/*.{test,test-d,fixture}.{ts,tsx}', 'tests/**', 'benches/**'],
      rules: { 'react/globals': 'off', 'react/immutability': 'off' },
    },
    {
      files: [
        '*.config.ts',
        'scripts/lint/plugin.ts',
        'tests/next-app/**',
        'examples/**/app/**',
        'examples/*/vite.config.ts',
        'packages/{create-vitrine,cli}/templates/**',
        'docs/site/{config,theme/index}.ts',
        // Workerd expects the default export.
        'tests/runtimes/worker.ts',
      ],
      rules: { 'import/no-default-export': 'off' },
    },
    // Warnings for developers, and the proxy's log.
    {
      files: [
        'packages/core/src/**/features/hooks.ts',
        'packages/proxy/src/**/request-line.ts',
        'packages/create-vitrine/templates/express/server.js',
        'packages/cli/templates/server.mjs',
        'scripts/**',
        'benches/**',
      ],
      rules: { 'no-console': 'off' },
    },
  ],
});
