import { describe, expect, it } from 'vitest';
import { definePanelTab } from './define-panel-tab.ts';
import { frameStyles } from './shell/frame-styles.ts';
import { viewStyles } from './shell/loaded-panel.ts';

describe('a tab of the panel', () => {
  it('holds its styles inside itself', () => {
    const { styles } = definePanelTab({
      id: 'mine',
      label: 'Mine',
      View: () => null,
      styles: 'p { top: 0 }',
    });
    expect(styles.replaceAll(/\s+/g, ' ')).toBe("[data-tab='mine'] { p { top: 0 } } ");
  });

  it('needs an id that can be remembered and written into a selector', () => {
    const define = (id: string): unknown => definePanelTab({ id, label: '', View: () => null });
    expect(() => define("a'b")).toThrow(/panel tab "a'b" needs an id/);
    expect(() => define('')).toThrow(RangeError);
    expect(define('a-2')).toMatchObject({ id: 'a-2', styles: '' });
  });

  it('has balanced styles, like all of the panel', () => {
    const count = (sign: string): number => `${frameStyles}${viewStyles}`.split(sign).length - 1;
    expect(count('{')).toBeGreaterThan(80);
    expect(count('}')).toBe(count('{'));
  });
});
