export { get, reset, revision, set } from '../agent/plugin/plugin-state.ts';
