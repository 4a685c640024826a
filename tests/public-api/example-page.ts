import { Window } from 'happy-dom';

// Loaded before an example that uses Testing Library: a page, as the test runners of readers provide one.

const window = new Window();
const { document, HTMLElement } = window;
Object.assign(globalThis, { window, document, HTMLElement, IS_REACT_ACT_ENVIRONMENT: false });
