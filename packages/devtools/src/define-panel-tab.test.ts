import { describe, expect, it } from 'vitest';
import { definePanelTab } from './define-panel-tab.ts';
import { frameStyles } from './shell/frame-styles.ts';
import { viewStyles } from './shell/loaded-panel.ts';

describe('a custom tab of the panel', () => {
  it('a custom tab confines its styles to itself', () => {
    const { styles } = definePanelTab({
      id: 'mine',
      label: 'Mine',
      View: () => null,
      styles: 'p { top: 0 }',
    });
    expect(styles.replaceAll(/\s+/g, ' ')).toBe("[data-tab='mine'] { p { top: 0 } } ");
  });

  it('the id of a custom tab must work as a CSS selector and a storage key', () => {
    const define = (id: string): unknown => definePanelTab({ id, label: '', View: () => null });
    expect(() => define("a'b")).toThrow(/panel tab "a'b" needs an id/);
    expect(() => define('')).toThrow(RangeError);
    expect(define('a-2')).toMatchObject({ id: 'a-2', styles: '' });
  });

  it('the styles of the panel and its tabs have balanced braces', () => {
    const count = (sign: string): number => `${frameStyles}${viewStyles}`.split(sign).length - 1;
    expect(count('{')).toBeGreaterThan(80);
    expect(count('}')).toBe(count('{'));
  });
});
