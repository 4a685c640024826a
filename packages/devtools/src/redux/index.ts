export { connectReduxDevtools } from './connect-redux-devtools.ts';
