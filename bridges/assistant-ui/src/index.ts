export { useVitrineRuntime } from './use-vitrine-runtime.ts';
