// @ts-expect-error -- it brings no types, and one call is not worth a package of them
import { JSDOM } from 'jsdom';

// Loaded before an example that uses Testing Library: a page, as the test runners of readers provide one.

const { window } = new JSDOM('', { url: 'http://localhost' });
const { document, HTMLElement } = window;
Object.assign(globalThis, { window, document, HTMLElement, IS_REACT_ACT_ENVIRONMENT: false });
